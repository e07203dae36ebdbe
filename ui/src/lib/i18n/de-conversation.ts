import type { QuickState, Spent } from "../ipc/bindings";
import type { Messages } from "../messages";
import { count, list, money } from "../text";
import { byNumber, plural } from "./de-words";

/** German: conversations, Quick tasks, history, rules and the first run. */
export const conversation = {
  groupRunning: "Laufend",
  groupWaiting: "Wartend",
  groupIdle: "Ruhend",
  groupFailed: "Fehlgeschlagen",
  newConversation: "Neues Gespräch",
  noConversations: "Noch kein Gespräch.",
  noConversationsMore: "Eines beginnen; was sein Agent ändern will, wartet dann im Eingang.",
  chooseConversation: "Ein Gespräch wählen.",
  roundOf: (round: number, limit: number) => `Runde ${round} von ${limit}`,
  doing: (tools: string[]) => `${list(tools)} ${byNumber(tools.length, "läuft", "laufen")}`,
  thinking: "das Modell schreibt",
  stopping: "hält an",
  seconds: (n: number) => `${n} s`,
  spent: (sum: Spent) => {
    if (sum.calls === 0) return "";
    if (sum.counted === 0) return "Token unbekannt";
    const all = (known: number, words: string) => (known < sum.calls ? `mindestens ${words}` : words);
    const tokens = all(sum.counted, `${count(sum.tokens_in)} + ${count(sum.tokens_out)} Token`);
    if (sum.costs.length === 0) return tokens;
    return `${tokens} · ${all(sum.priced, sum.costs.map((cost) => money(cost.nano, cost.currency)).join(" + "))}`;
  },
  spentCached: (sum: Spent) =>
    `${count(sum.tokens_in)} gelesen, davon ${count(sum.cached)} aus einem Zwischenspeicher; ${count(sum.tokens_out)} geschrieben`,
  runEnded: (words: string) => `Beendet: ${words}`,
  you: "Ich",
  foldedCalls: (n: number, parts: string) => `${n} Aufrufe: ${parts}`,
  foldedRan: (n: number) => `${n} ausgeführt`,
  foldedRejected: (n: number) => `${n} abgelehnt`,
  foldedNever: (n: number) => `${n} nie gemacht`,
  task: "Aufgabe",
  agentInBackground: "im Hintergrund",
  worksBeside: "arbeitet im Hintergrund",
  suspendedBeside: "ausgesetzt: wartet auf eine Entscheidung",
  besideLabel: "Agenten im Hintergrund",
  olderEntries: "Früheres zeigen",
  newerEntries: "Späteres zeigen",
  latest: "↓ Neuestes",
  waitingStrip: (n: number, verbs: string[]) => `${n} ${byNumber(n, "wartet", "warten")}: ${list(verbs)}`,
  answerInInbox: "Im Eingang antworten",
  messageTo: (name: string) => `Nachricht an ${name}…`,
  messageLabel: (name: string) => `Nachricht an ${name}`,
  send: "Senden",
  addToRun: "Zu diesem Lauf hinzufügen…",
  addToRunLabel: (name: string) => `Zum Lauf von ${name} hinzufügen`,
  steer: "Lenken",
  steeringWaits: "Wartet auf den nächsten Schritt des Agenten:",
  steeringMore: (n: number) => `Auch ${plural(n, "frühere wartet", "frühere warten")}.`,
  queuedUntil: "Vorgemerkt, bis der Lauf endet",
  runHadEnded: "Der Lauf war schon zu Ende. Als neue Nachricht senden?",
  goesWith: (n: number) => `Geht mit ${plural(n, "Antwort", "Antworten")} ab`,
  sendWith: (n: number) => `${n} und dies senden`,
  guard: (n: number, verbs: string[], approved: number) => {
    const late = plural(
      approved,
      "genehmigter, noch nicht ausgeführter Aufruf",
      "genehmigte, noch nicht ausgeführte Aufrufe",
    );
    if (n === 0) return `Durch das Senden ${byNumber(approved, "entfällt", "entfallen")} ${late}.`;
    const open = `${plural(n, "offene Anfrage", "offene Anfragen")} (${list(verbs)})`;
    return approved > 0
      ? `Durch das Senden entfallen ${open} und ${late}.`
      : `Durch das Senden ${byNumber(n, "entfällt", "entfallen")} ${open}.`;
  },
  answerFirst: "Erst antworten",
  sendAnyway: "Trotzdem senden",
  busy: "Inzwischen hat ein Lauf begonnen. Der Text bleibt erhalten: zum Lauf hinzufügen, oder senden, wenn der Lauf zu Ende ist.",
  stop: "Anhalten",
  stopTitle: "Dieses Gespräch anhalten?",
  stopRunning: (tools: string[]) =>
    `${list(tools)} ${byNumber(tools.length, "läuft und wird", "laufen und werden")} mittendrin beendet.`,
  stopConfirm: "Anhalten",
  keepRunning: "Weiterlaufen lassen",
  failedKept: "Nichts ist verloren: was gespeichert war, bleibt.",
  continueRun: "Fortsetzen",
  unfinished: "Der letzte Lauf endete, bevor das Modell fertig war.",
  editAgent: "Agenten bearbeiten…",
  rename: "Umbenennen",
  renameTitle: "Das Gespräch umbenennen",
  doubtHelp:
    "Wer weiß, was daraus wurde, kann es dem Agenten sagen. Es kommt ins Nachrichtenfeld; nichts wird von selbst gesendet.",
  tellHappened: "Dem Agenten sagen: es ist geschehen",
  tellDidnt: "… es ist nicht geschehen",
  doubtHappened: (call: string) => `„${call}“ wurde unterbrochen, ist aber geschehen.`,
  doubtDidnt: (call: string) => `„${call}“ wurde unterbrochen und ist nicht geschehen.`,
  forkHere: "Hier abzweigen",
  forkOpen: "Hier abzweigen…",
  forkTitle: (name: string) => `Von ${name} abzweigen`,
  forkName: (name: string) => `${name} (Zweig)`,
  forkText:
    "Ein neues Gespräch beginnt mit allem, was hier gesagt wurde. Offene Anfragen und Dauergenehmigungen bleiben hier, und hier ändert sich nichts.",
  forkTextUpto:
    "Ein neues Gespräch beginnt mit allem bis zu dieser Nachricht. Offene Anfragen und Dauergenehmigungen bleiben hier, und hier ändert sich nichts.",
  forkAuto: "Es fragt, bevor sich etwas ändert: Auto wird nicht mitgenommen.",
  forkConfirm: "Abzweigen",
  forkedFrom: "Abgezweigt von",
  forkedFromGone: "Abgezweigt von einem gelöschten Gespräch",
  forkedDeleted: "gelöscht",
  modeMark: (mode: "plan" | "default" | "auto", ends: boolean, until: string | null) => {
    if (mode !== "auto") return `Modus: ${mode === "plan" ? "Plan" : "Standard"}`;
    if (until === null) return ends ? "Modus: Auto, bis dieser Lauf endet" : "Modus: Auto";
    return ends ? `Modus: Auto, bis dieser Lauf endet oder ${until}` : `Modus: Auto, bis ${until}`;
  },
  continueWords: "Mach weiter.",
  name: "Name",
  save: "Speichern",
  delete: "Löschen…",
  deleteTitle: (name: string) => `${name} löschen?`,
  deleteText: (open: number, decisions: number | null) => {
    const expire = open > 0 ? `${plural(open, "offene Anfrage verfällt", "offene Anfragen verfallen")}. ` : "";
    if (decisions === null) return `${expire}Der Verlauf behält die Entscheidungen.`;
    if (decisions === 0) return `${expire}Entschieden wurde darin noch nichts.`;
    return `${expire}Der Verlauf behält ${plural(decisions, "Entscheidung", "Entscheidungen")} daraus.`;
  },
  deleteConfirm: "Löschen",
  more: "Mehr",
  modeOf: (name: string) => `Modus von ${name}`,
  fromNextRun: (mode: string) => `${mode} ab dem nächsten Lauf`,
  takeBackMode: "Den jetzigen Modus behalten",
  modePlanHelp: "Liest nur und schlägt einen Plan vor.",
  modeDefaultHelp: "Fragt, bevor sich etwas ändert.",
  modeAutoHelp: "Läuft ohne Nachfrage.",
  start: "Beginnen",
  agent: "Agent",
  folder: "Ordner",
  mode: "Modus",
  firstMessage: "Erste Nachricht",
  noAgents: "Es gibt noch keinen Agenten.",
  connectModel: "Modell verbinden",
  standingLink: (n: number) => plural(n, "Dauergenehmigung", "Dauergenehmigungen"),

  quickTask: "Schnellaufgabe",
  quickTasks: "Schnellaufgaben",
  decisionsTab: "Entscheidungen",
  quickField: "Was ist zu tun?",
  quickHelp: "Ein Lauf mit Werkzeugen, die niemanden brauchen. Er wartet nie auf eine Entscheidung.",
  quickUses: (tools: string[]) => `Nutzt ${list(tools)}.`,
  quickUsesNone: "Keines der Werkzeuge dieses Agenten kommt ohne Entscheidung aus. Er antwortet aus dem, was er weiß.",
  quickAuto: "In Auto laufen Schreiben und Befehle ohne Nachfrage.",
  quickState: (state: QuickState): string => {
    switch (state.is) {
      case "running":
        return state.stopping ? "Hält an" : state.round === 0 ? "Läuft" : `Läuft, Runde ${state.round}`;
      case "done":
        return "Fertig";
      case "limit":
        return "An der Grenze der Runden beendet";
      case "would_ask":
        return "Beendet: hätte gefragt";
      case "failed":
        return "Fehlgeschlagen";
      case "stopped":
        return "Von Hand angehalten";
      case "interrupted":
        return "Unterbrochen";
    }
  },
  quickWouldAsk: (tool: string) => `Beendet, weil ${tool} hätte fragen müssen.`,
  quickWouldAskMore: (rounds: number) =>
    rounds === 0
      ? "Eine Schnellaufgabe kann auf keine Antwort warten, also wurde nichts ausgeführt."
      : `Eine Schnellaufgabe kann auf keine Antwort warten. Aus dieser Runde wurde nichts ausgeführt; davor ${byNumber(rounds, "lief", "liefen")} ${plural(rounds, "Runde", "Runden")}.`,
  quickInterrupted: "Countersign endete, während sie lief. Nichts davon geht von selbst weiter.",
  quickLimit: "Die Grenze der Runden war erreicht. Dies ist das letzte Wort.",
  quickStopped: "Von Hand angehalten. Was ausgeführt wurde, ist aufgeführt.",
  quickRounds: "Was geschah",
  quickResult: "Ergebnis",
  quickCalls: (n: number) => (n === 0 ? "kein Aufruf" : plural(n, "Aufruf", "Aufrufe")),
  quickAsConversation: "Als Gespräch beginnen",
  quickAgain: "Weitere Aufgabe",
  quickRemove: "Entfernen",
  quickStop: "Anhalten",
  quickNone: "Noch keine Schnellaufgabe.",
  quickNoneHelp: (keys: string) =>
    `${keys} beginnt eine: ein einziger Lauf, der etwas nachsieht und keine Entscheidung braucht.`,
  quickOpen: "Die Schnellaufgabe öffnen",
  announceQuick: (text: string, state: string) => `Schnellaufgabe ${text}: ${state}.`,

  historyCount: (n: number, since: string | null) =>
    since === null ? "Noch keine Entscheidung." : `${plural(n, "Entscheidung", "Entscheidungen")} seit ${since}`,
  historyEmpty: "Hier wird jede Entscheidung stehen, mit wem und was daraus wurde.",
  historyShown: (shown: number, of: number) => `${count(shown)} von ${count(of)}`,
  showOlder: "Ältere zeigen",
  showNewer: "Neuere zeigen",
  columns: {
    time: "Zeit",
    conversation: "Gespräch",
    call: "Aufruf",
    target: "Ziel",
    decision: "Entscheidung",
    outcome: "Ausgang",
    took: "Bedenkzeit",
  },

  standingTab: "Dauergenehmigungen",
  rulesSentence: "Alles, was eine Genehmigung braucht, fragt nach.",
  standingNone: "Kein Werkzeug hat eine Dauergenehmigung.",
  standingReach: (reach: string, since: string, used: number) => `${reach} · seit ${since} · ${count(used)}× benutzt`,
  revoke: "Widerrufen",
  revokeNamed: (tool: string, conversation: string) => `${tool} in ${conversation} widerrufen`,

  rehearsal: "Probe",
  rehearsalStep: (step: number, steps: number) => `Schritt ${step} von ${steps}`,
  rehearsalOver: "Das war die Probe. Im Verlauf steht alles davon.",
  leave: "Verlassen",
  skipStep: "Schritt überspringen",
  rehearsalRule: "Eine erste Regel anlegen…",
  removeRehearsal: "Probe entfernen",
  keepRehearsal: "Behalten",
  reconnecting: "Verbindet wieder…",
  restart: "Neu starten",

  welcome: "Agenten fragen hier zuerst.",
  welcomeText: "Sie arbeiten für sich. Was etwas ändert, wartet hier.",
  welcomePromise: "In Abwesenheit wird nie etwas genehmigt.",
  startRehearsal: "Probe beginnen",
  rehearsalHelp: "Zwei Minuten mit einem Agenten nach Drehbuch, in einem Wegwerfordner. Ohne Schlüssel, ohne Netz.",
  connectHelp:
    "Jeder Server, der OpenAI-kompatiblen Chat, OpenAI Responses oder Anthropic Messages spricht, auf diesem Rechner oder anderswo.",
  notifyTitle: "Darf Countersign Mitteilungen zeigen?",
  notifyText:
    "Wenn ein Agent fragt und gerade anderes vorn ist, sagt es eine Mitteilung. Sie entscheidet nie von selbst.",
  sendTest: "Probeweise senden",
  testWaiting: "Gesendet. Den Knopf „Ansehen“ darin drücken, oder die Mitteilung anklicken.",
  goOn: "Weiter",
  connectTitle: "Modell verbinden",
  looking: "Sucht nach Modellservern auf diesem Rechner…",
  foundServer: (name: string, models: number) => `${name} · ${plural(models, "Modell", "Modelle")}`,
  foundNone: "Auf diesem Rechner antwortet kein Modellserver. Bitte eine Adresse eingeben.",
  use: "Nutzen",
  format: "Spricht",
  formatNames: {
    open_ai_chat: "OpenAI-kompatibler Chat",
    open_ai_responses: "OpenAI Responses",
    anthropic_messages: "Anthropic Messages",
  },
  formatHelp: {
    open_ai_chat: "Die meisten Server auf dem eigenen Rechner und die meisten gehosteten Dienste",
    open_ai_responses:
      "Behält die Überlegungen eines Modells verschlüsselt von Runde zu Runde; bittet, dort nichts zu speichern",
    anthropic_messages: "Behält die signierten Überlegungen eines Modells von Runde zu Runde",
  },
  address: "Adresse",
  addressHelp: {
    open_ai_chat: "Etwa http://127.0.0.1:11434/v1",
    open_ai_responses: "Etwa https://api.openai.com/v1",
    anthropic_messages: "Etwa https://api.anthropic.com/v1",
  },
  key: "Schlüssel",
  keyNone: "Keiner",
  keyKeyring: "Im Schlüsselbund des Systems",
  keyEnv: "Aus einer Umgebungsvariablen",
  keyFile: "In einer Datei von Countersign, nur für das eigene Konto lesbar",
  keyEnvName: "Name der Variablen",
  newKey: "Neuer Schlüssel",
  newKeyHelp: "Gespeichertes wird nie gezeigt. Leer lassen, um es zu behalten.",
  keyringMissing: (why: string) => `Der Schlüsselbund des Systems antwortet nicht: ${why}`,
  fileConsent:
    "Mir ist klar, dass der Schlüssel dann unverschlüsselt in einer Datei steht, die meine Programme lesen können.",
  model: "Modell",
  listModels: "Modelle auflisten",
  agentName: "Name des Agenten",
  workspaceFolder: "Arbeitsordner",
  folderHelp: "Der ganze Pfad. Die Werkzeuge bleiben darin.",
  connectConfirm: "Speichern und beginnen",
  testConnection: "Verbindung prüfen",
  testing: "Wird geprüft…",
} satisfies Partial<Messages>;
