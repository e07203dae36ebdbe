import type { Messages } from "../messages";
import { count } from "../text";
import { plural } from "./de-words";

const decisions = (n: number, more = false) =>
  more ? `Mehr als ${plural(n, "Entscheidung", "Entscheidungen")}` : plural(n, "Entscheidung", "Entscheidungen");

/** German: searching, counting, exporting, checking and thinning out the history. */
export const history = {
  searchHistory: "Verlauf durchsuchen",
  searchFilter: "Filter",
  searchClear: "Zurücksetzen",
  searchEmpty: "Feld leeren",
  searchKeep: "Diese Suche behalten",
  searchForget: "Diese Suche vergessen",
  searchesSaved: "Behaltene Suchen",
  searchOn: (words: string, matched: number, more: boolean, of: number) =>
    `${words} · ${more ? `mehr als ${count(matched)}` : count(matched)} von ${count(of)}`,
  searchNone: "Keine Entscheidung passt",
  searchUnread: (n: number) =>
    `${plural(n, "Entscheidung wird", "Entscheidungen werden")} noch eingelesen und noch nicht gefunden.`,
  facets: {
    is: "Entscheidung",
    by: "Entschieden von",
    outcome: "Ausgang",
    kind: "Art",
    agent: "Agent",
    tool: "Werkzeug",
  },
  facetsNone: "Nichts einzugrenzen.",
  facetsNewest: (n: number) => `Gezählt unter den neuesten ${count(n)}.`,
  number: (n: number) => count(n),
  dateRail: "Monate",
  railMonth: (month: string, n: number) => `${month}, ${decisions(n)}`,
  chainWhole: (ago: string) => `Aufzeichnung geprüft ${ago}, unversehrt`,
  chainChecking: "Aufzeichnung wird geprüft",
  chainCheck: "Aufzeichnung prüfen",
  chainBroken: (date: string, time: string, entry: number) =>
    `Die Aufzeichnung stimmt nicht mehr ab ${date} ${time} (Eintrag ${count(entry)}).`,
  chainChanged: "Ab dort wurde etwas geändert, entfernt oder verschoben, nachdem es geschrieben war.",
  chainShorter:
    "Es fehlen Einträge, die bei der letzten Prüfung da waren. Eine ältere Kopie der Datenbank sieht auch so aus.",
  chainShow: "Zeigen",
  chartOpen: "Diagramme",
  chartsTitle: (n: number) => `Die letzten ${count(n)} Tage`,
  chartCaption: (n: number) => `von Hand entschieden und (grau) ohne Frage entschieden, ${count(n)} Tage`,
  chartPerDay: "Entscheidungen pro Tag",
  chartDay: "Tag",
  chartAsked: "Von Hand",
  chartUnasked: "Ohne Frage",
  chartByWhom: "Von wem",
  chartTook: "Zeit bis zur Entscheidung",
  chartSpans: ["unter 5 s", "unter 15 s", "unter 1 min", "unter 5 min", "unter 1 h", "länger"],
  exportOpen: "Exportieren…",
  exportTitle: "Verlauf exportieren",
  exportAll: (n: number) => `${decisions(n)}, also alle.`,
  exportSome: (words: string, n: number, more: boolean) => `${decisions(n, more)}: ${words}.`,
  exportConversation: "Das Gespräch exportieren",
  exportedConversation: (n: number) => `${plural(n, "Nachricht", "Nachrichten")} geschrieben.`,
  exportFormat: "Format",
  exportMask: "Geheimnisse verdecken",
  exportMaskHelp:
    "Was wie ein Schlüssel, ein Token oder ein Passwort aussieht, wird zu Punkten. Bitte die Datei ansehen, bevor sie weitergegeben wird.",
  exportOpenHelp: "Schlüssel, Token und Passwörter in Argumenten stehen so in der Datei, wie sie sind.",
  exportFile: "Datei",
  exportFileHelp: "Der ganze Pfad einer Datei, die es noch nicht gibt.",
  exportWrite: "Exportieren",
  exportWriting: "Wird geschrieben…",
  exportDone: (n: number) => `${decisions(n)} geschrieben.`,
  exportManifest: "Manifest",
  eraseOpen: "Zeitraum löschen…",
  eraseTitle: "Aus dem Verlauf löschen",
  eraseFrom: "Von",
  eraseTo: "Bis einschließlich",
  eraseNoSpan: "Der letzte Tag liegt vor dem ersten.",
  eraseCounting: "Wird gezählt…",
  eraseGoing: (n: number, more: boolean) =>
    n === 0 ? "Keine Entscheidung dieser Tage kann gehen." : `${decisions(n, more)}: gelöscht wird endgültig.`,
  eraseKeeps:
    "Was wartet, und alles aus einem Gespräch, in dem etwas wartet oder läuft, bleibt. Gespräche, die nicht gelöscht sind, behalten, was in ihnen gesagt wurde. Die Aufzeichnung stimmt weiterhin.",
  eraseConfirm: "Endgültig löschen",
  eraseGone: (n: number) => `${plural(n, "Entscheidung ist", "Entscheidungen sind")} gelöscht.`,
  recordTitle: "Aufzeichnung",
  moments: {
    proposed: "aufgerufen",
    asked: "gefragt",
    seen: "gesehen",
    staged: "vorgemerkt",
    decided: "entschieden",
    started: "begonnen",
    ended: "beendet",
  },
  recordBy: "Entschieden",
  recordReason: "Begründung",
  recordDigest: "Prüfsumme",
  recordMatches: "✓ stimmt mit dem Gespeicherten überein",
  recordDiffers: "Das Gespeicherte ist nicht das, worüber entschieden wurde.",
  masks: "Außerdem verdecken",
  masksHelp:
    "Reguläre Ausdrücke, einer je Zeile. Was sie treffen, wird auf Karten verdeckt, in Exporten und Mitteilungen zu Punkten und nicht durchsucht, neben dem, was ohnehin wie ein Geheimnis aussieht.",
  keepLabel: "Entscheidungen behalten",
  keepHelp: "Nur Entschiedenes und Beendetes; was wartet oder läuft, wird nie wegen seines Alters gelöscht.",
  keepForGood: "für immer",
  keepDays: (n: number) => `${count(n)} Tage`,
  keepYear: "1 Jahr",
  keepTitle: "Löschen, was älter ist?",
  keepConfirm: "Löschen und dabei bleiben",
  keepGoing: (n: number, more: boolean, days: string) =>
    n === 0
      ? `Keine Entscheidung ist jetzt älter als ${days}. Was älter wird, geht von da an.`
      : `${decisions(n, more)}, älter als ${days}: gelöscht wird endgültig, und von da an auch, was älter wird.`,
} satisfies Partial<Messages>;
