import type { Data, InMode, ToolWord } from "../ipc/bindings";
import type { Messages } from "../messages";
import { count, list } from "../text";
import { byNumber, plural, sentence } from "./de-words";

const inModes: Record<string, string> = { asks: "fragt", runs: "läuft", hidden: "fehlt" };

/** German: tools and tool servers. */
export const servers = {
  sectionTools: "Werkzeuge & Server",
  switchedForAll: "Für alle Agenten geschaltet",
  toolsHelp: "Was hier ausgeschaltet wird, ist ab dem nächsten Aufruf aus, auch in laufenden Läufen.",
  toolsUnreadable:
    "Was geschaltet war, lässt sich nicht lesen, also ist jedes Werkzeug aus. Etwas schalten, um es neu zu schreiben.",
  askFirst: (tool: string) => `Vor ${tool} fragen`,
  askFirstShort: "Erst fragen",
  toolOn: (tool: string) => `${tool} ist an`,
  toolServers: "Werkzeugserver",
  serversHelp:
    "Programme und Adressen, die den Agenten mehr Werkzeuge geben. Jeder Aufruf fragt, bis etwas anderes gesagt ist.",
  serversNone: "Kein Werkzeugserver ist eingerichtet.",
  serversList: "Eingerichtete Server",
  serverAdd: "Server hinzufügen…",
  serverOff: "Aus",
  serverIdle: "Nicht gestartet",
  serverStarting: "Startet…",
  serverRunning: (tools: number) => `Läuft · ${plural(tools, "Werkzeug", "Werkzeuge")}`,
  serverFailed: "Nicht nutzbar:",
  serverAgain: (seconds: number) => (seconds === 0 ? "Neuer Versuch jetzt." : `Neuer Versuch in ${seconds} s.`),
  serverUsedBy: (agents: string[]) => `Genutzt von ${list(agents)}`,
  serverUnused: "Kein Agent nutzt ihn. Im Editor eines Agenten lässt er sich ankreuzen.",
  serverTightened: (n: number) =>
    `${plural(n, "Werkzeug fragt", "Werkzeuge fragen")} wieder: der Server hat ${byNumber(n, "es", "sie")} geändert`,
  serverCut: (cut: string) => `Nicht alles davon wird gezeigt. ${sentence(cut)}`,
  serversAll: "Alle Server",
  serverGone: "Diesen Server gibt es nicht mehr.",
  serverCalls: "nennt sich",
  serverRestart: "Neu starten",
  serverUsed: (name: string) => `${name} wird genutzt`,
  serverDelete: "Löschen…",
  serverDeleteTitle: (name: string) => `${name} löschen?`,
  serverDeleteText: (agents: string[]) =>
    agents.length === 0
      ? "Kein Agent nutzt ihn. Seine gespeicherten Geheimnisse gehen mit."
      : `${list(agents)} ${byNumber(agents.length, "macht", "machen")} ohne seine Werkzeuge weiter. Seine gespeicherten Geheimnisse gehen mit.`,
  serverDeleteConfirm: "Server löschen",
  serverStrip: (name: string) => `Werkzeugserver „${name}“ ist nicht nutzbar:`,
  serverStripMore: (n: number) => `Und ${plural(n, "weiterer Werkzeugserver", "weitere Werkzeugserver")}.`,
  show: "Zeigen",
  showNamed: (name: string) => `Werkzeugserver ${name}`,

  serverTabs: "Was vom Server gezeigt wird",
  serverTabTools: "Werkzeuge",
  serverTabSetup: "Einrichtung",
  serverTabSetupUnsaved: "Einrichtung, nicht gespeichert",
  serverTabLog: "Protokoll",

  addServerTitle: "Server hinzufügen",
  addServerField: "Befehlszeile, Adresse, oder das JSON, das andere Programme nutzen",
  addServerRead: "Ansehen",
  addServerHelp: "Durch das Ansehen wird nichts gestartet oder gespeichert.",
  addServerOther: "Anderer Text",
  addServers: (n: number) => (n === 0 ? "Server hinzufügen" : `${plural(n, "Server", "Server")} hinzufügen`),
  addServerFound: (n: number) => `${plural(n, "Server", "Server")} gefunden`,
  addServerTick: (name: string) => `${name} hinzufügen`,
  wouldStart: "Würde starten",
  wouldReach: "Wäre zu erreichen unter",
  runsWithYourRights: "Er läuft mit den eigenen Rechten, außerhalb der Abschottung von Befehlen.",
  notEncrypted: "Diese Adresse ist nicht verschlüsselt.",
  hiddenInField: (n: number) => `Enthält ${plural(n, "Zeichen, das", "Zeichen, die")} hier nicht zu sehen sind.`,

  serverName: "Name",
  serverProgram: "Programm",
  serverArgs: "Argumente, eines je Zeile",
  serverArgsJson: "Argumente, als JSON-Liste",
  serverArgsJsonHelp:
    "Eines davon enthält einen Zeilenumbruch oder ist leer, also könnten Zeilen sie nicht auseinanderhalten.",
  serverArgsFault: 'Hier wird eine JSON-Liste von Texten erwartet, etwa ["-y", "name"].',
  serverFolder: "Ordner, in dem er startet",
  serverFolderHelp: "Der ganze Pfad. Ohne Angabe ist es der eigene Hauptordner.",
  serverUrl: "Adresse",
  serverRoots: "Ordner, die ihm genannt werden, einer je Zeile",
  serverRootsHelp: "Nur wenn er fragt. Andere kann er trotzdem erreichen.",
  serverStart: "Sekunden, die sein Start dauern darf, bis 300",
  serverCall: "Sekunden, die ein Aufruf ohne Lebenszeichen dauern darf, bis 3600",
  serverData: "Was seine Ergebnisse zeigen können",
  dataName: (data: Data): string => {
    switch (data) {
      case "public":
        return "Was alle haben können";
      case "given":
        return "Was ich schreibe";
      case "workspace":
        return "Was im Ordner liegt";
      case "machine":
        return "Alles auf diesem Rechner";
      case "unclassified":
        return "Nicht gesagt";
    }
  },
  dataHelp: (data: Data): string => {
    switch (data) {
      case "public":
        return "Was alle im Netz haben können, und nichts Eigenes.";
      case "given":
        return "Was für den Agenten geschrieben wird, und sonst nichts Eigenes.";
      case "workspace":
        return "Was im Ordner des Agenten liegt.";
      case "machine":
        return "Alles, was das eigene Konto auf diesem Rechner lesen kann.";
      case "unclassified":
        return "Zählt als das meiste: kein Modell außerhalb dieses Rechners bekommt seine Ergebnisse.";
    }
  },
  serverLaunchChanged: "Eine Änderung hier hebt alles Gelockerte auf: seine Werkzeuge fragen wieder.",
  serverSaved: "Gespeichert.",
  notSaved: "Nicht gespeichert",

  serverEnv: "Variablen",
  serverHeaders: "Kopfzeilen",
  variableName: (n: number) => `Name ${n}`,
  variableValue: (name: string) => `Wert von ${name}`,
  variableWhere: (name: string) => `Wo der Wert von ${name} liegt`,
  variablePlain: "Hier, lesbar",
  variableKeyring: "Schlüsselbund",
  variableFile: "Datei",
  variableEnv: "Eigene Variable",
  variableEnvName: (name: string) => `Welche eigene Variable ${name} bekommt`,
  variableKept: "Aufbewahrt; eingeben, um zu ersetzen",
  variableKnown: "Bekannt, nicht gezeigt",
  variableNew: "Wert eingeben",
  variableAdd: "Variable hinzufügen",
  serverHeaderAdd: "Kopfzeile hinzufügen",
  variableRemove: (name: string) => `${name} entfernen`,
  remove: "Entfernen",
  serverFileConsent:
    "Mir ist klar, dass diese Werte dann unverschlüsselt in einer Datei stehen, die meine Programme lesen können.",

  wordAll: "Was von allen seinen Werkzeugen gesagt ist",
  wordAllHelp: "Gilt für genau die Werkzeuge, wie sie jetzt sind. Spätere oder geänderte fragen.",
  wordOne: "Was von diesem Werkzeug gesagt ist",
  wordOneHelp: "Gilt für genau das, was hier gezeigt ist. Ändert der Server es, fragt es wieder.",
  wordCalls: "Aufrufe",
  wordFirst: "Aufrufe fragen erst",
  wordNever: "Laufen ohne Nachfrage",
  wordAsServer: "Wie der Server",
  wordFirstOne: "Fragt erst",
  wordNeverOne: "Läuft ohne Nachfrage",
  wordReadOnly: "In Plan angeboten (mit der Aussage, dass sie nur lesen)",
  wordReadOnlyOne: "In Plan angeboten (mit der Aussage, dass es nur liest)",
  wordParallel: "Dürfen nebeneinander laufen",
  wordParallelOne: "Darf neben anderen Aufrufen laufen",
  wordLost: "Gestartet wird nicht mehr das, wovon dies gesagt war, also gilt es nicht: seine Werkzeuge fragen.",
  wordSheetTitle: "Alle seine Werkzeuge lockern",
  wordSheetNever: (n: number) =>
    `Aufrufe ${byNumber(n, "seines", "seiner")} ${plural(n, "Werkzeugs", "Werkzeuge")} laufen ohne Nachfrage.`,
  wordSheetReadOnly: (n: number) =>
    `Plan bietet ${byNumber(n, "sein", "seine")} ${plural(n, "Werkzeug", "Werkzeuge")} an, mit der Aussage, dass nur gelesen wird.`,
  wordSheetParallel: (n: number) =>
    `Aufrufe ${byNumber(n, "seines", "seiner")} ${plural(n, "Werkzeugs", "Werkzeuge")} dürfen nebeneinander laufen.`,
  wordSheetScope:
    "Das umfasst genau die Werkzeuge, wie sie jetzt sind. Werkzeuge, die später kommen oder sich ändern, fragen.",
  wordSheetTightened: (n: number) =>
    n === 1
      ? "1 davon fragt wieder, weil der Server es geändert hat. Dies umfasst es, wie es jetzt ist."
      : `${count(n)} davon fragen wieder, weil der Server sie geändert hat. Dies umfasst sie, wie sie jetzt sind.`,
  wordSheetRejects: "Regeln zum Ablehnen halten Aufrufe weiter auf.",
  wordSheetConfirm: (word: ToolWord, n: number) =>
    word.asks === "never"
      ? `${plural(n, "Werkzeug", "Werkzeuge")} ohne Nachfrage laufen lassen`
      : `Das von ${plural(n, "Werkzeug", "Werkzeugen")} sagen`,
  wordNoTools:
    "Welche Werkzeuge er hat, ist noch nicht bekannt, also lässt sich nichts von ihnen sagen. Erst den Server starten.",
  wordLooked: "Ich habe es angesehen, wie es jetzt ist: was ich gesagt habe, gilt dafür.",
  wordSave: "Das von dem Werkzeug sagen",
  wordOf: (word: ToolWord): string =>
    word.asks === null ? "wie der Server" : word.asks === "first" ? "fragt erst" : "läuft ohne Nachfrage",
  wordPlanMark: "Plan",
  wordBesideMark: "neben anderen",
  claimsWords: (claims: string[]) => (claims.length === 0 ? "behauptet nichts" : `sagt: ${claims.join(", ")}`),
  toolsFilter: "Werkzeuge filtern",
  toolsShown: (shown: number, of: number) =>
    shown === of ? plural(of, "Werkzeug", "Werkzeuge") : `${count(shown)} von ${plural(of, "Werkzeug", "Werkzeugen")}`,
  toolsNone: "Welche Werkzeuge er hat, ist noch nicht bekannt.",
  toolsNoMatch: "Kein Werkzeug passt.",
  toolsMore: (n: number) => `${count(n)} weitere zeigen`,
  toolTightened: "Fragt wieder: der Server hat es geändert",
  toolOff: "für alle Agenten ausgeschaltet",
  toolOpen: (name: string) => `${name} ganz zeigen`,
  toolInMode: (mode: "plan" | "default" | "auto", is: InMode) =>
    `${mode === "plan" ? "Plan" : mode === "default" ? "Standard" : "Auto"} ${inModes[is] ?? is}`,
  toolLastUsed: (ago: string) => `benutzt ${ago}`,
  toolNeverUsed: "nie benutzt",
  toolTold: "Modelle kennen es als",
  toolFingerprint: "Fingerabdruck",
  toolTitle: "Sein Titel",
  toolDescription: "Der Server sagt",
  toolSchema: "Argumente (JSON-Schema)",
  toolClaims: "Was es behauptet",
  toolClaimsHelp: "Die Worte des Servers. Sie entscheiden nichts.",
  toolNoDescription: "Nichts.",
  toolMoved: "Der Server hat dieses Werkzeug geändert, seit es gezeigt wurde. Bitte noch einmal ansehen.",
  logNone: "Noch wurde nichts geschrieben.",
  logAgain: "Neu laden",
  logCopy: "Protokoll kopieren",
  logOurs: "Countersign",
  logTheirs: "der Server",

  agentServers: "Werkzeugserver",
  agentServersHelp: "Wessen Werkzeuge er hat.",
  agentServersNone: "Kein Werkzeugserver ist eingerichtet. Unter „Werkzeuge & Server“ lässt sich einer hinzufügen.",
  agentServersTools: (tools: number, servers: number) =>
    `Und ${plural(tools, "Werkzeug", "Werkzeuge")} von ${plural(servers, "Server", "Servern")}, soweit bekannt.`,
  agentServersNoTools: "Er hat keinen Werkzeugserver.",
  agentServersUnchosen: (n: number) =>
    `Nur gewählte Werkzeuge sind an, und ${plural(n, "bekanntes Werkzeug seiner Server ist", "bekannte Werkzeuge seiner Server sind")} nicht darunter.`,
  agentServersChoose: "Auch sie wählen",
  agentServerGone: "ein gelöschter Server",

  ofServer: (name: string) => `Werkzeugserver „${name}“`,
  ofServerGone: "Werkzeugserver: ein entfernter Server",
  ofServerClaims: (claims: string[]) => `sagt: ${claims.join(", ")} · der Server behauptet das; es entscheidet nichts`,
  ofServerTightened: "Fragt wieder: der Server hat dieses Werkzeug geändert, seit es laufen durfte",
  serverSays: "Der Server sagt",
  toolReplaced: "Der Server hat dieses Werkzeug seit der Anfrage geändert. Eine Genehmigung würde nichts ausführen.",
} satisfies Partial<Messages>;
