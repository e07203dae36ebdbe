import type { Asks, Confining, Group, Hold, Network, Zone } from "../ipc/bindings";
import type { Messages } from "../messages";
import { plural, sentence } from "./de-words";
import { germanSymbols } from "./symbols";

/** German: settings, and the agent's editor. */
export const settings = {
  sectionGeneral: "Allgemein",
  sectionDeciding: "Entscheiden",
  sectionNotifications: "Mitteilungen",
  sectionAgents: "Agenten & Modelle",
  sectionKeyboard: "Tastatur",
  sectionAccessibility: "Barrierefreiheit",
  sectionData: "Daten & Schutz",
  sectionAbout: "Über",
  language: "Sprache",
  languageHelp:
    "Des Fensters, der Mitteilungen und des Infobereichs. Was Agenten, Werkzeuge und Server sagen, bleibt in deren Worten.",
  languageSystem: "System",
  theme: "Erscheinungsbild",
  themeHelp: "Folgt dem System, solange nichts anderes gewählt ist.",
  themeSystem: "System",
  themeLight: "Hell",
  themeDark: "Dunkel",
  reset: "Zurücksetzen",
  findSetting: "Einstellung finden",
  noSetting: (text: string) => `Keine Einstellung heißt „${text}“.`,
  density: "Dichte",
  densityHelp: "Wie hoch die Zeilen von Listen sind.",
  densityComfortable: "Luftig",
  densityCompact: "Dicht",
  zoom: "Vergrößerung",
  zoomHelp: (larger: string, smaller: string, usual: string) =>
    `${larger} macht alles größer, ${smaller} kleiner, ${usual} wie üblich.`,
  readAsText: "Zeigen, was liefe, als Textzeilen",
  readAsTextHelp:
    "Für Bildschirmleser: eine Zeile für jeden Teil, geänderte Zeilen mit ihrer Nummer, verborgene Zeichen mit ihrem Namen. Auch bei jeder Anfrage.",
  spellSymbols: "Zeichen nennen",
  spellSymbolsHelp:
    "In diesen Zeilen steht jedes Satz- und Sonderzeichen mit seinem Namen: „Strich“, „Schrägstrich“, „Dollar“.",
  symbols: germanSymbols,
  highContrast: "Hoher Kontrast",
  highContrastHelp:
    "Text auf reinem Grund, starke Kanten, keine weichen Farben. Auch wenn das System mehr Kontrast wünscht.",
  highContrastSystem: "Das System wünscht mehr Kontrast, also ist er in jedem Fall an.",
  readingGate: "Vor dem Genehmigen zu Ende lesen",
  readingGateHelp: "Was nicht hineinpasst, muss bis zum Ende zu sehen gewesen sein. Bei hohem Risiko gilt das immer.",
  armingAlways:
    "Ein Druck zählt nie im ersten Augenblick, nachdem etwas Neues darunter kam. Das lässt sich nicht ausschalten.",
  followsSystem: "Was dem System folgt",
  followsSystemList: () => [
    "Weniger Bewegung: nichts bewegt sich, und die Frist einer Gruppe ist eine Zahl.",
    "Mehr Kontrast: die Farben für hohen Kontrast gelten.",
    "Erzwungene Farben: nur die Farben des Systems gelten, und Kanten zeigen, was gewählt ist.",
    "Hell oder dunkel, und die Sprache, solange unter „Allgemein“ nichts gewählt ist.",
  ],
  keyboardHelp: "Eine Aktion drücken, dann ihre neue Taste. Esc lässt sie, wie sie ist.",
  keyPress: "Taste drücken…",
  keyPressNext: "G, und…",
  keyChange: (keys: string) => `, jetzt ${keys}, Taste ändern`,
  keyAlways: "immer gleich",
  keyTaken: (keys: string, action: string) => `${keys} ist die Taste von: ${action}.`,
  keySwap: "Tauschen",
  keyLeave: "So lassen",
  keyRefused: {
    fixed: "Diese Taste bedeutet in jedem Feld und jeder Seitenansicht dasselbe, also bleibt sie.",
    escape: "Esc führt nur zurück. Es tut nie etwas anderes.",
    press: "Eingabe und Leertaste drücken, was den Fokus hat, also entscheiden sie nie von selbst.",
    text: "Textfelder brauchen diese Taste.",
    system: "Diese Taste gehört dem System.",
    prefix: "G beginnt die Tasten, die zu einer Ansicht führen. Danach noch eine drücken.",
  },
  keysReset: "Alle Tasten zurücksetzen",
  announceAllDefault: (n: number) =>
    n === 0 ? "Kein Gespräch ist in Auto." : `${plural(n, "Gespräch ist", "Gespräche sind")} zurück auf Standard.`,
  singleKeys: "Einzelne Tasten",
  singleKeysHelp: "A, R, U und die anderen wirken, solange die Liste oder die Einzelansicht den Fokus hat.",
  grace: "Frist, bevor eine entschiedene Gruppe abgeht",
  graceHelp:
    "Bis dahin lässt sich jede Entscheidung zurücknehmen. Genehmigungen mit hohem Risiko warten immer auf „Senden“.",
  graceSeconds: (n: number) => (n === 0 ? "Sofort" : `${n} s`),
  graceManual: "Erst mit „Senden“",
  notify: "Mitteilungen",
  notifyHelp: "Eine für jedes Gespräch, das wartet, und sonst nichts.",
  privacy: "Was eine Mitteilung sagt",
  privacyHelp: "Text vom Agenten steht nie darin.",
  privacyFull: "Die erste Zeile des Aufrufs",
  privacyTarget: "Was geschehen soll, und wo",
  privacyPrivate: "Nur wie viele warten",
  testNotice: "Probe",
  testNoticeHelp: "Zeigt eine mit dem Knopf „Ansehen“ und sagt, was zurückkam.",
  agentNew: "Neuer Agent",
  agentWho: "Wer",
  agentModel: "Modell",
  temperature: "Temperatur",
  temperatureHelp: (messages: boolean) =>
    `0 bis ${messages ? 1 : 2}; leer gilt die des Modells. Manche Modelle nehmen keine an.`,
  mostTokens: "Höchstens so viele Token je Antwort",
  mostTokensHelp: (messages: boolean) =>
    messages
      ? "Leer sind es bis zu 32.000, oder was das Modell hergibt."
      : "Leer gilt die Zahl des Modells. Nachdenken zählt mit.",
  thinkingFirst: "Nachdenken vor der Antwort",
  thinkingHelp: "Nicht jedes Modell kann es. Eines, das es nicht annimmt, sagt das bei der ersten Frage.",
  thinkingName: (value: string) =>
    ({
      unstated: "Wie das Modell von sich aus",
      off: "Aus",
      minimal: "Kaum",
      low: "Wenig",
      medium: "Wie üblich",
      high: "Lange",
      budget: "Bis zu einer Zahl von Token",
    })[value] ?? value,
  thinkingTokens: "Token zum Nachdenken",
  headers: "Eigene Kopfzeilen",
  headersHelp:
    "Sie gehen mit jeder Anfrage an das Modell. Ein Geheimnis liegt, wo Schlüssel liegen, und wird nie gezeigt.",
  headerName: "Name der Kopfzeile",
  headerKind: "Was darin steht",
  headerPlain: "Ein Text",
  headerSecret: "Ein Geheimnis",
  headerEnv: "Was eine Umgebungsvariable enthält",
  headerValue: "Wert",
  headerAdd: "Kopfzeile hinzufügen",
  headerRemove: "Entfernen",
  headerRemoveNamed: (name: string) => (name === "" ? "Diese Kopfzeile entfernen" : `${name} entfernen`),
  prices: "Preise",
  pricesHelp:
    "Für eine Million Token. Mit ihnen werden die Kosten gezeigt; ein Aufruf kostet, was galt, als er gemacht wurde.",
  pricesAdd: "Preise hinzufügen",
  pricesRemove: "Preise entfernen",
  currency: "Währung",
  priceInput: "Gelesen",
  priceOutput: "Geschrieben",
  priceCached: "Aus einem Zwischenspeicher gelesen",
  priceWritten: "In einen Zwischenspeicher gelegt",
  priceAsInput: "wie gelesen",
  agentWhere: "Wo",
  agentHow: "Wie",
  agentTools: "Werkzeuge",
  instructions: "Anweisungen",
  startMode: "Modus am Anfang",
  rounds: "Runden je Lauf",
  caps: "Grenzen eines Laufs und der Agenten darunter",
  capsHelp: "Wie viel ein Lauf und alle Agenten darunter zusammen tun dürfen.",
  capModelCalls: "Modellaufrufe, bis 200",
  capAgents: "Begonnene Agenten, bis 50",
  capBeside: "Zugleich daneben, bis 8",
  agentSubAgents: "Agenten, die er beginnen kann",
  subAgentsHelp:
    "Was ein solcher Agent ändern will, fragt im Gespräch von diesem. Er hat eigene Werkzeuge, einen eigenen Ordner und ein eigenes Modell.",
  subAgentsNone: "Er arbeitet allein.",
  subAgentsNoOther: "Es gibt keinen anderen Agenten, den er beginnen könnte.",
  subAgentAdd: "Agenten hinzufügen",
  subAgentRemove: "Entfernen",
  subAgentRemoveNamed: (name: string) => `${name} entfernen`,
  subAgentWhich: "Agent",
  subAgentTool: "Sein Name für das Modell",
  subAgentToolHelp: "1 bis 64 Buchstaben, Ziffern, _ oder -",
  subAgentTold: "Was das Modell über ihn erfährt",
  subAgentToldHelp: "Wann er zu beginnen ist, und was er gut kann.",
  subAgentAnswer: "Dieser Agent inzwischen",
  subAgentWaits: "Wartet auf die Antwort",
  subAgentBeside: "Macht daneben weiter",
  subAgentAsks: "Vor dem Beginn wird gefragt",
  subAgentGone: "ein gelöschter Agent",
  toolAsks: (asks: Asks): string => {
    switch (asks) {
      case "always":
        return "fragt";
      case "chosen":
        return "fragt, weil es so gewählt ist";
      case "never":
        return "läuft von selbst";
      case "question":
        return "stellt eine Frage";
    }
  },
  toolInPlan: "auch in Plan",
  groupName: (group: Group): string => {
    switch (group) {
      case "look":
        return "Dateien ansehen";
      case "change":
        return "Dateien ändern";
      case "command":
        return "Befehle ausführen";
      case "web":
        return "Aus dem Netz abrufen";
      case "ask":
        return "Fragen stellen";
      case "agent":
        return "Andere Agenten";
      case "server":
        return "Werkzeugserver";
      case "other":
        return "Alles andere";
    }
  },
  fetches: "Abrufe",
  fetchesPublic: "Öffentliche Adressen",
  fetchesPrivate: "Auch private",
  fetchesPublicHelp: "Adressen dieses Rechners und privater Netze werden abgewiesen.",
  fetchesPrivateHelp:
    "Seine Abrufe können diesen Rechner und die eigenen Netze erreichen. Jeder fragt, außer das Werkzeug darf ohne Nachfrage laufen.",
  zone: "Wo das Modell läuft",
  zoneName: (zone: Zone): string => {
    switch (zone) {
      case "unstated":
        return "Nicht gesagt";
      case "local":
        return "Dieser Rechner";
      case "private":
        return "Eigene Rechner";
      case "external":
        return "Anderswo";
    }
  },
  zoneHelp: (zone: Zone): string => {
    switch (zone) {
      case "unstated":
        return "Nichts wird ihm vorenthalten.";
      case "local":
        return "Die Ergebnisse jedes Werkzeugs dürfen zu ihm.";
      case "private":
        return "Ergebnisse dürfen zu ihm, außer von Werkzeugen, die niemand eingestuft hat.";
      case "external":
        return "Was im Ordner liegt, darf zu ihm; was den übrigen Rechner zeigen könnte, nicht.";
    }
  },
  hold: "Befehle abschotten",
  holdName: (hold: Hold): string => {
    switch (hold) {
      case "strongest":
        return "Wenn möglich";
      case "required":
        return "Immer";
      case "never":
        return "Nie";
    }
  },
  holdHelp: (hold: Hold, missing: string | null): string => {
    if (hold === "never")
      return "Ein Befehl kann alles, was das eigene Konto kann, und könnte Countersign selbst bedienen.";
    if (missing === null)
      return "Ein Befehl schreibt nur im Arbeitsordner und in temp, und erreicht weder die Dateien von Countersign noch den Desktop.";
    return hold === "required"
      ? `Dieser Rechner kann Befehle nicht abschotten, also läuft kein Befehl dieses Agenten. ${sentence(missing)}`
      : `Dieser Rechner kann Befehle nicht abschotten: sie können alles, was das eigene Konto kann, und könnten Countersign selbst bedienen. ${sentence(missing)}`;
  },
  commandNetwork: "Netz für Befehle",
  networkName: (network: Network): string => (network === "on" ? "An" : "Aus"),
  networkHelp: (network: Network, missing: string | null): string => {
    if (network === "on") return "Ein Befehl kann sich mit allem verbinden, auch mit Diensten dieses Rechners.";
    return missing === null
      ? "Ein Befehl kann sich mit nichts verbinden, auch nicht mit Diensten dieses Rechners."
      : `Dieser Rechner kann Befehlen das Netz nicht abschalten, also läuft kein Befehl dieses Agenten. ${sentence(missing)}`;
  },
  confiningFound: (found: Confining): string => {
    if (found.no_files !== null)
      return `Dieser Rechner kann Befehle nicht abschotten: jeder kann alles, was das eigene Konto kann, und könnte Countersign selbst bedienen. ${sentence(found.no_files)}`;
    return found.no_network === null
      ? "Dieser Rechner kann Befehle auf Arbeitsordner und temp beschränken und ihnen das Netz abschalten."
      : `Dieser Rechner kann Befehle auf Arbeitsordner und temp beschränken, ihnen aber nicht das Netz abschalten. ${sentence(found.no_network)}`;
  },
  ceiling: "Werkzeuge, die mehr zeigen können",
  ceilingEnforce: "Zurückhalten",
  ceilingObserve: "Nur hinweisen",
  savedRevision: (n: number) =>
    `Als Fassung ${n} gespeichert. Laufende Gespräche behalten die alte bis zu ihrem nächsten Lauf.`,
  deleteAgent: "Agenten löschen",
  startAuto:
    "Neue Gespräche dieses Agenten laufen von der ersten Nachricht an ohne Nachfrage. Regeln zum Ablehnen halten Aufrufe weiter auf.",
  exportEverything: "Alles exportieren",
  exportEverythingHelp:
    "Einstellungen, Agenten, Regeln, Gespräche und alle Entscheidungen in einer Datei, ohne Schlüssel.",
  exportEverythingText:
    "Alles, was Countersign aufbewahrt: Einstellungen, Agenten und Werkzeugserver ohne ihre Schlüssel, Regeln, Dauergenehmigungen, Gespräche, Schnellaufgaben und Entscheidungen.",
  exportEverythingDone: (lines: number) => `${plural(lines, "Zeile", "Zeilen")} geschrieben.`,
  dataWhere: "Wo die Daten liegen",
  dataText:
    "Alles bleibt auf diesem Rechner: Gespräche, Entscheidungen und was dabei gezeigt wurde. Schlüssel sind nie dabei.",
  rehearsalData: "Probe",
  rehearsalStored: "Eine Probe ist gespeichert, getrennt von den eigenen Daten.",
  rehearsalNotStored: "Keine Probe ist gespeichert.",
  version: "Version",
  licence: "Lizenz",
  licenceText:
    "Countersign steht unter der MIT-Lizenz. Die Schriften Inter und JetBrains Mono stehen unter der SIL Open Font License 1.1, die Symbole von Lucide unter der ISC-Lizenz.",
  on: "An",
  off: "Aus",
} satisfies Partial<Messages>;
