import type { Messages } from "../messages";
import { byNumber } from "./de-words";

/** German: notifications, their test and their hours, and the ways out of the app. */
export const notices = {
  testButton: (server: string) => `Der Knopf „Prüfen“ wirkt hier. Gezeigt von ${server}.`,
  testClick: (server: string, buttons: boolean) =>
    buttons
      ? `Ein Klick wirkt hier. Gezeigt von ${server}; Knöpfe gibt es dort auch, gedrückt wurde keiner.`
      : `Gezeigt von ${server}, aber Knöpfe wirken dort nicht: Ein Klick öffnet die Anfrage.`,
  testShown: (server: string, buttons: boolean) =>
    buttons
      ? `An ${server} übergeben, aber kein Druck kam zurück. War nichts zu sehen, dann nachsehen, ob dort Mitteilungen von Countersign erlaubt sind.`
      : `An ${server} übergeben, das keine Knöpfe hat; auch kein Klick kam zurück.`,
  testNothing: (why: string | null) =>
    `Nichts ist angekommen${why === null ? ": Kein Mitteilungsdienst antwortet" : `: ${why}`}. Eingang und Infobereich zeigen trotzdem alles.`,
  testCan: (can: string) => `Nach eigener Auskunft kann es: ${can}.`,
  leaveTrayTitle: "Countersign läuft weiter",
  leaveTrayText:
    "Das Fenster schließt, und Countersign läuft im Infobereich weiter. Agenten arbeiten weiter, und was wartet, wird gemeldet. Das wird einmal gesagt; ändern lässt es sich unter Einstellungen, Allgemein.",
  leaveTrayConfirm: "Fenster schließen",
  leaveNoTrayTitle: "Beenden oder weiterlaufen lassen?",
  leaveNoTrayText:
    "Dieser Desktop zeigt kein Symbol im Infobereich. Countersign kann ohne Fenster weiterlaufen; ein neuer Start zeigt es wieder. Die Wahl wird behalten.",
  leaveNoTrayConfirm: "Weiterlaufen lassen",
  leaveQuitTitle: "Countersign beenden?",
  leaveQuitText: (open: number) =>
    open === 1
      ? "1 Anfrage bleibt offen. Sie bleibt in ihrem Gespräch."
      : `${open} Anfragen bleiben offen. Sie bleiben in ihren Gesprächen.`,
  leaveQuitLeaving: (leaving: number) =>
    `${leaving} davon ${byNumber(leaving, "ist", "sind")} entschieden und ${byNumber(leaving, "geht", "gehen")} gleich ab.`,
  quit: "Beenden",
  sendNow: "Jetzt senden",
  keepForLater: "Für später behalten",
  pauseNotices: "Pause",
  pauseNoticesHelp:
    "Solange wird nichts gemeldet, und nichts wird entschieden. Was dann noch wartet, wird am Ende gemeldet.",
  pausedUntil: (time: string) => `Pause bis ${time}. Was dann noch wartet, wird gemeldet.`,
  pauseFor: "Mitteilungen pausieren",
  pauseNot: "Keine Pause",
  pauseHalfHour: "30 Minuten",
  pauseHour: "1 Stunde",
  pauseTomorrow: "Bis morgen",
  resumeNotices: "Fortsetzen",
  quietHours: "Ruhezeit",
  quietHoursHelp: "In diesen Stunden wird nichts gemeldet, und nichts wird entschieden.",
  quietFrom: "Ruhe ab",
  quietTo: "Ruhe bis",
  quietBetween: "bis",
  notifyPlans: "Pläne",
  notifyPlansHelp: "Melden, wenn ein Agent einen Plan vorlegt.",
  notifyStopped: "In Auto angehalten",
  notifyStoppedHelp: "Melden, wenn eine Regel einen Aufruf eines Gesprächs in Auto anhält.",
  reminders: "Erinnerungen",
  remindersHelp: "Nach 10 Minuten und eine Stunde später, und einmal bei der Rückkehr. Danach nicht mehr.",
  approveFromNotice: "In der Mitteilung genehmigen",
  approveFromNoticeHelp:
    "Nur für einen einzelnen kleinen Aufruf mit geringem Risiko, den die Mitteilung ganz zeigt, und nur, solange der Bildschirm bekanntermaßen nicht gesperrt ist. Bis zum Senden steht dort „Rückgängig“.",
  approveNeedsFull: "Dazu gehört die Stufe, die die erste Zeile des Aufrufs zeigt.",
  sound: "Ton",
  soundHelp:
    "Zwei leise Töne, höchstens einmal in zehn Sekunden. Wo keine Mitteilung gezeigt werden kann, erklingen sie in jedem Fall.",
  volume: "Lautstärke",
  startAtLogin: "Mit der Sitzung starten",
  startAtLoginHelp: "Ohne Fenster. Auch die Einstellungen des Desktops können es abschalten.",
  closeToTray: "Weiterlaufen, wenn das Fenster schließt",
  closeToTrayHelp: "Im Infobereich, oder, wo es keinen gibt, ohne Fenster bis zum nächsten Start.",
} satisfies Partial<Messages>;
