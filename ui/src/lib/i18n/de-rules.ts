import type { Messages } from "../messages";
import { slot, type Part } from "../parts";
import { count, list } from "../text";
import { byNumber, plural } from "./de-words";

/** German: rules, standing approvals, what runs without asking, and why. */
export const rules = {
  ruleTabs: {
    rules: "Regeln",
    standing: "Dauergenehmigungen",
    runs: "Läuft ohne Nachfrage",
    test: "Probe",
  },
  ruleTabWords: {
    rules: "Regeln, die ablehnen, gehen allem vor. Was keine Regel entscheidet, fragt nach, wie es der Modus sagt.",
    standing:
      "Dauergenehmigungen entstehen beim Genehmigen, jede für ein Gespräch. Regeln, die ablehnen, halten deren Aufrufe weiter auf.",
    runs: "Was dem nächsten Aufruf jedes Werkzeugs begegnet. Das entscheidet dieselbe Auswertung, die Aufrufe entscheidet.",
    test: "Einen Aufruf an den Regeln erproben. Nichts wird ausgeführt und nichts gespeichert.",
  },
  rulesNoneMake: "Die erste aus dem Verlauf machen",
  rulesShip: "Mitgelieferte einschalten",
  rulesUnreadable: (n: number) =>
    `${plural(n, "gespeicherte Regel ist", "gespeicherte Regeln sind")} nicht lesbar. Solange das so ist, fragt jeder Aufruf nach, der eine Genehmigung braucht.`,
  rulesReject: "Ablehnen: diese gehen vor",
  rulesApprove: "Genehmigen",
  ruleNew: "Neue Regel",
  ruleUnused: "Seit 90 Tagen unbenutzt",
  ruleUnusedNone: "Jede Regel hat in den letzten 90 Tagen etwas entschieden.",
  ruleOn: (name: string) => `Regel ${name}`,
  ruleMore: (name: string) => `Mehr zu Regel ${name}`,
  ruleEdit: "Bearbeiten…",
  ruleDuplicate: "Verdoppeln…",
  ruleDelete: "Löschen",
  ruleMatchesOpen: "Ihre Treffer im Verlauf",
  ruleDeleted: (name: string) => `Regel ${name} ist gelöscht.`,
  ruleRestored: (name: string) => `Regel ${name} ist wieder da.`,
  ruleEnded: (when: string) => `zu Ende ${when}`,
  ruleMatches: (n: number, ago: string | null) =>
    n === 0
      ? "noch kein Treffer"
      : ago === null
        ? plural(n, "Treffer", "Treffer")
        : `${plural(n, "Treffer", "Treffer")}, ${ago}`,
  ruleAnyTool: "Jedes Werkzeug",
  rulePlanTool: "Ein Plan",
  ruleToolNow: (name: string) => `${name} (wie es jetzt ist)`,
  ruleSentence: {
    approve: (some: boolean): Part[] =>
      some ? [slot.tool, " genehmigen, wenn ", slot.conditions] : [slot.tool, " mit beliebigen Argumenten genehmigen"],
    reject: (some: boolean): Part[] =>
      some ? [slot.tool, " ablehnen, wenn ", slot.conditions] : ["Jeden Aufruf von ", slot.tool, " ablehnen"],
    rejectAny: (some: boolean): Part[] =>
      some
        ? ["Einen Aufruf irgendeines Werkzeugs ablehnen, wenn ", slot.conditions]
        : ["Jeden Aufruf jedes Werkzeugs ablehnen"],
    rejectPlan: (some: boolean): Part[] =>
      some ? ["Einen Plan ablehnen, wenn ", slot.conditions] : ["Jeden Plan ablehnen"],
    open: (some: boolean): Part[] => (some ? [slot.tool, ", wenn ", slot.conditions] : [slot.tool]),
  },
  ruleAnd: " und ",
  ruleOr: " oder ",
  ruleIs: {
    is: (): Part[] => [slot.key, " genau ", slot.value, " ist"],
    one_of: (): Part[] => [slot.key, " ", slot.value, " ist"],
    starts_with: (): Part[] => [slot.key, " mit ", slot.value, " beginnt"],
    contains: (): Part[] => [slot.key, " ", slot.value, " enthält"],
    pattern: (whole: boolean): Part[] =>
      whole ? [slot.key, " die Form ", slot.value, " hat"] : [slot.key, " einen Teil der Form ", slot.value, " hat"],
    inside: (): Part[] => [slot.key, " ein Pfad in ", slot.value, " ist"],
    host: (below: boolean): Part[] =>
      below
        ? [slot.key, " eine Adresse von ", slot.value, " oder einem Host darunter ist"]
        : [slot.key, " eine Adresse von ", slot.value, " ist"],
    words: (further: boolean, flags: boolean): Part[] => [
      further ? "der Befehl mit " : "der Befehl nur aus ",
      slot.value,
      further ? " beginnt" : " besteht",
      ...(flags ? [" und ", slot.flags, " hat"] : []),
    ],
    download: (): Part[] => ["eine Shell ausführt, was gerade geladen wurde"],
  },
  ruleWhere: {
    everywhere: "überall",
    gone: "an einem Ort, den es nicht mehr gibt",
    conversation: (): Part[] => ["in ", slot.place],
    agent: (): Part[] => ["von ", slot.place],
    folder: (): Part[] => ["in ", slot.place, " und darunter"],
  },
  ruleWhereChoice: {
    everywhere: "Überall",
    conversation: (name: string) => `Im Gespräch ${name}`,
    agent: (name: string) => `Für den Agenten ${name}, überall`,
    folder: (name: string) => `Für Agenten in ${name} und darunter`,
  },
  ruleLasts: {
    run: "bis der Lauf endet",
    conversation: "bis das Gespräch gelöscht wird",
    quit: "bis Countersign beendet wird",
    until: (when: string) => `bis ${when}`,
    forever: "für immer",
  },
  ruleLastsChoice: {
    run: "Bis der Lauf endet",
    conversation: "Bis das Gespräch gelöscht wird",
    quit: "Bis Countersign beendet wird",
    day: "24 Stunden",
    month: "30 Tage",
    forever: "Für immer",
    until: (when: string) => `Bis ${when}`,
  },
  ruleDateTime: (date: string, time: string) => `${date}, ${time} Uhr`,

  ruleMake: "Regel machen…",
  ruleMakeTitle: "Regel machen",
  ruleEditTitle: "Regel bearbeiten",
  ruleSave: "Regel sichern",
  ruleGist: "Was die Regel sagt und getan hätte",
  ruleVerdict: "Was sie tut",
  ruleTool: "Werkzeug",
  ruleWhen: "Wenn",
  ruleAnything: (): Part[] => [slot.key, " beliebig"],
  ruleTheCommand: "Befehl",
  ruleGroup: (what: string) => `Welches davon: ${what}`,
  ruleAddCondition: "Bedingung hinzufügen…",
  ruleTest: "Bedingung",
  ruleTests: {
    is: "ist genau",
    one_of: "ist eines von",
    starts_with: "beginnt mit",
    contains: "enthält",
    pattern: "hat die Form (regulärer Ausdruck)",
    inside: "ist ein Pfad in",
    host: "ist eine Adresse von",
    words: "der Befehl beginnt mit",
    download: "eine Shell führt aus, was gerade geladen wurde",
  },
  ruleTestsAdvanced: "Für Fortgeschrittene",
  ruleKey: "Argument",
  ruleKeyHelp: "Sein Name, wie ihn das Werkzeug hat. Eines inneren: außen.innen",
  ruleValue: {
    is: "Wert",
    one_of: "Werte, einer je Zeile",
    starts_with: "Anfang",
    contains: "Text",
    pattern: "Regulärer Ausdruck",
    inside: "Ordner",
    host: "Host",
    words: "Programm und Worte",
  },
  ruleBelow: "Auch die Hosts darunter",
  ruleFurther: "Weitere Worte dürfen folgen",
  ruleFlags: "Und eines dieser Worte, eines je Zeile (darf leer sein)",
  ruleAdd: "Hinzufügen",
  ruleRemove: (condition: string) => `Entfernen: ${condition}`,
  ruleTick: "Beliebige Argumente: jeder Aufruf dieses Werkzeugs",
  ruleWhereLabel: "Wo",
  ruleLifeLabel: "Wie lange",
  ruleName: "Name",
  ruleNameHelp: "So heißt sie im Verlauf.",
  ruleNote: "Eigene Notiz",
  ruleReason: "Begründung für den Agenten",
  ruleReasonHelp: "Leer: er erfährt, dass eine Regel dieses Namens den Aufruf ablehnt.",
  ruleSamples: (n: number) => (n === 0 ? "Beispiele" : `Beispiele (${count(n)})`),
  ruleSamplesHelp: "Solange die Regel von einem etwas anderes sagt, lässt sie sich nicht sichern.",
  ruleSampleMatches: "Muss passen",
  ruleSampleNot: "Darf nicht passen",
  ruleSampleKind: "Was dieses Beispiel sagt",
  ruleSampleAdd: "Beispiel hinzufügen",
  ruleSampleRemove: (n: number) => `Beispiel ${count(n)} entfernen`,
  ruleSampleCommand: (n: number) => `Beispiel ${count(n)}: ein Befehl`,
  ruleSampleJson: (n: number) => `Beispiel ${count(n)}: Argumente als JSON`,
  ruleFront: (matches: boolean, waits: boolean) =>
    waits
      ? matches
        ? "Passt auf die vorliegende Anfrage: ja"
        : "Passt auf die vorliegende Anfrage: nein"
      : matches
        ? "Passt auf den Aufruf, aus dem sie gemacht ist: ja"
        : "Passt auf den Aufruf, aus dem sie gemacht ist: nein",
  ruleCounting: "wird gezählt…",
  ruleChoose: "Bitte Ablehnen oder Genehmigen wählen.",
  ruleNotYet: "Was sie getan hätte, wird gezählt, sobald nichts mehr fehlt.",
  rulePast: {
    approve: (days: number, matched: number, calls: number) =>
      `In den letzten ${plural(days, "Tag", "Tagen")}: hätte ${count(matched)} von ${plural(calls, "Aufruf", "Aufrufen")} genehmigt`,
    reject: (days: number, matched: number, calls: number) =>
      `In den letzten ${plural(days, "Tag", "Tagen")}: hätte ${count(matched)} von ${plural(calls, "Aufruf", "Aufrufen")} abgelehnt`,
  },
  rulePastAgainst: {
    approve: (n: number) => `${count(n)} davon selbst abgelehnt`,
    reject: (n: number) => `${count(n)} davon selbst genehmigt`,
  },
  rulePastShow: "zeigen",
  rulePastHide: "ausblenden",
  rulePastRows: "Aufrufe, die sie entschieden hätte",
  ruleUntold: (n: number) =>
    `Von ${plural(n, "Aufruf", "Aufrufen")} sind die Argumente nicht gespeichert, da lässt es sich nicht sagen.`,
  ruleBeyond: (n: number) => `${plural(n, "älterer Aufruf wurde", "ältere Aufrufe wurden")} nicht angesehen.`,
  ruleBeaten: (n: number): Part[] => [
    n === 1 ? "Eine Regel, die ablehnt, geht vor: " : "Regeln, die ablehnen, gehen vor: ",
    slot.value,
  ],
  ruleLost:
    "Der Server hat dieses Werkzeug geändert, seit es die Regel gibt. Sie genehmigt deshalb nichts. Damit sie wieder gilt, das Werkzeug wählen, wie es jetzt ist.",
  ruleUnsaved: "Diese Regel ist nicht gesichert.",
  ruleLeave: "Ohne Sichern schließen",
  ruleGoOn: "Weitermachen",
  ruleSaved: (name: string) => `Regel ${name} ist gesichert.`,
  ruleStillWaits: "Die vorliegende Anfrage wartet weiter.",
  ruleShow: "Regel zeigen",
  ruleUnreadable: {
    parts: "Dieser Befehl hat mehrere Teile. Eine Regel kann ihn nur als Ganzes genehmigen.",
    filled: "Hier setzt die Shell etwas ein. Eine Regel kann diesen Befehl nur als Ganzes genehmigen.",
    redirects: "Dieser Befehl leitet um. Eine Regel kann ihn nur als Ganzes genehmigen.",
    variables: "Dieser Befehl setzt zuerst Variablen. Eine Regel kann ihn nur als Ganzes genehmigen.",
    starts:
      "Dieses Programm startet andere Programme, seine ersten Worte sagen also wenig. Eine Regel kann den Befehl nur als Ganzes genehmigen.",
    unknown: "Dieser Befehl ließ sich nicht zerlegen. Eine Regel kann ihn nur als Ganzes genehmigen.",
  },
  ruleFaults: {
    name: "Bitte einen Namen von 1 bis 80 Zeichen geben, ohne Leerzeichen darum.",
    name_taken: "So heißt schon eine andere Regel.",
    name_signs: "Ein Name kann kein Komma und kein Anführungszeichen haben.",
    needs_tool: "Eine Regel, die genehmigt, gilt für ein Werkzeug. Bitte wählen, für welches.",
    plan: "Ein Plan wartet immer auf einen Menschen. Keine Regel genehmigt einen.",
    runs_anyway: "Dieses Werkzeug braucht keine Genehmigung, es gibt also nichts zu genehmigen.",
    not_seen:
      "Aufrufe dieses Werkzeugs brauchen keine Genehmigung, also sieht keine Regel sie. Das Werkzeug in den Einstellungen erst fragen lassen, oder es dem Agenten nehmen.",
    needs_tick:
      "Ohne Bedingung genehmigt sie jeden Aufruf eines Werkzeugs, das Programme ausführt. Bitte eine hinzufügen, oder ankreuzen, dass es so gemeint ist.",
    reject_only: "Diese Bedingung gibt es nur für Regeln, die ablehnen.",
    free_form:
      "Der Text eines Befehls ist leicht zu umgehen. Zum Genehmigen bitte seine Worte oder den ganzen Befehl wählen.",
    launcher: "Dieses Programm startet andere Programme, seine ersten Worte sagen also nichts.",
    empty: "Hier fehlt etwas.",
    too_long: "Das ist länger, als eine Regel sein darf.",
    pattern: "Dieser reguläre Ausdruck ist nicht lesbar.",
    folder: "Das ist kein Ordner, mit dem sich vergleichen lässt. Bitte den ganzen Pfad schreiben.",
    host: "Das ist kein Host.",
    secret:
      "Das sieht nach einem Geheimnis aus. Regeln werden gezeigt und exportiert, in einer kann also keines stehen.",
    hidden: "Das hat verborgene Zeichen.",
    sample: "Dieses Beispiel sind keine Argumente eines Aufrufs.",
    sample_missed: "Sie muss auf dieses Beispiel passen und tut es nicht.",
    sample_hit: "Sie darf auf dieses Beispiel nicht passen und tut es.",
    over: "Diese Zeit ist schon vorbei. Bitte eine andere wählen.",
    gone: "Das Gespräch, den Agenten oder den Server, den sie nennt, gibt es nicht mehr.",
    no_command: "Diese Bedingung gibt es nur für Werkzeuge, die Befehle ausführen.",
  },

  standingLast: (when: string | null) => (when === null ? "noch nicht benutzt" : `zuletzt benutzt ${when}`),
  standingAgain: (tool: string) => `${tool} fragt wieder.`,
  standingBack: (tool: string) => `${tool} hat die Dauergenehmigung wieder.`,
  revokeAll: "Alle in diesem Gespräch widerrufen",
  revokeAllTitle: (title: string) => `Alle in ${title} widerrufen?`,
  revokeAllSentence: (tools: string[]) =>
    `Von jetzt an ${tools.length === 1 ? "fragt" : "fragen"} in diesem Gespräch wieder nach: ${list(tools)}, wie es sein Modus sagt.`,
  revokeAllConfirm: (n: number) => `${count(n)} widerrufen`,
  revokedAll: (n: number) =>
    `${plural(n, "Dauergenehmigung", "Dauergenehmigungen")} ${byNumber(n, "ist", "sind")} widerrufen.`,

  runsConversation: "Gespräch",
  runsMode: "Modus",
  runsNone: "Es gibt noch kein Gespräch. Was ohne Nachfrage läuft, hängt von einem ab.",
  runsTool: "Werkzeug",
  runsVerdict: "Was geschieht",
  runsCause: "Warum",
  runsVerdicts: {
    asks: "fragt",
    asks_input: "bittet um eine Eingabe",
    runs: "läuft",
    rejected: "wird abgelehnt",
    not_offered: "wird nicht angeboten",
  },
  runsCauses: {
    not_marked: "es braucht keine Genehmigung",
    runs_free: "dieses Werkzeug des Servers darf frei laufen",
    rule: "eine Regel umfasst alle seine Aufrufe",
    standing: "Dauergenehmigung, beliebige Argumente",
    auto: "der Modus ist Auto",
    approval: "es braucht eine Genehmigung, und der Modus fragt",
    input: "ein Mensch füllt seine Eingabe aus, in jedem Modus",
    plan: "Plan verbirgt, was nicht nur liest",
    gate: "es wird zurückgehalten",
    plan_waits: "ein Plan wartet immer auf einen Menschen",
  },
  runsUndeclared: "keine Angabe: es läuft, was immer es tut",
  runsApproving: (): Part[] => ["manche laufen durch ", slot.value],
  runsRejecting: (): Part[] => ["abgelehnt durch ", slot.value],
  runsExact: (n: number) =>
    plural(n, "Dauergenehmigung für genau einen Aufruf", "Dauergenehmigungen für genaue Aufrufe"),

  trialPick: "Einen Aufruf nehmen",
  trialPickChoose: "Eine der letzten Entscheidungen…",
  trialGone: "Die Argumente dieses Aufrufs sind nicht mehr gespeichert.",
  trialTool: "Werkzeug",
  trialArguments: "Argumente als JSON",
  trialTry: "Erproben",
  trialNothing: "Hier steht, was aus dem Aufruf würde.",
  trialResult: "Was daraus würde",
  traceRule: "Regel",
  traceSays: "Sagt",
  traceReason: "Begründung",
  traceStanding: "Dauergenehmigung",
  traceMode: "Modus",
  traceNoRule: "Keine Regel gilt für dieses Werkzeug.",
  traceOpen: "Was jede Regel gesagt hat",
  traceWords: {
    abstains: "nichts",
    approves: "genehmigen",
    rejects: "ablehnen",
    failed: "gescheitert, deshalb fragt es",
  },
  traceReach: { none: "keine umfasst ihn", exact: "umfasst genau diesen Aufruf", tool: "umfasst beliebige Argumente" },
  traceOutcomes: {
    asks: "Es fragt nach.",
    asks_input: "Es bittet um eine Eingabe.",
    rejected: "Es wird abgelehnt.",
    runs_unmarked: "Es läuft: das Werkzeug braucht keine Genehmigung.",
    runs_by_rule: "Es läuft: eine Regel genehmigt es.",
    runs_by_standing: "Es läuft: eine Dauergenehmigung umfasst es.",
    runs_by_auto: "Es läuft: der Modus ist Auto.",
    not_looked_at: "Das lässt sich nicht sagen.",
  },

  unlockRejecting: (n: number) =>
    `${plural(n, "Regel, die ablehnt, hält", "Regeln, die ablehnen, halten")} weiter Aufrufe auf`,
  ruleFromThese: "Regel daraus machen",
  unlockRules: "Regeln, die ablehnen und weiter Aufrufe aufhalten",
  unlockUncovered: (): Part[] => ["keine Regel, die ablehnt, umfasst ", slot.value],
  standingHere: (n: number) => plural(n, "Dauergenehmigung hier", "Dauergenehmigungen hier"),
  hintWords: (n: number): Part[] => [slot.value, ` in dieser Woche ${count(n)}-mal genehmigt.`],
  paletteNoRule: "Eine Regel wird aus einem Aufruf gemacht.",
  hintMake: "Regel machen",
  hintNever: "Nicht mehr zeigen",
} satisfies Partial<Messages>;
