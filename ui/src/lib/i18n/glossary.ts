/** The words of decisions, which are the same everywhere: what an English message says by one, a German message says by the other. */
export const glossary: { english: RegExp; german: RegExp; word: string }[] = [
  { word: "Genehmigen", english: /\bapprov(e|es|ed|al|als|ing)\b/i, german: /genehmig/i },
  { word: "Ablehnen", english: /\breject(s|ed|ion)?\b/i, german: /(ab(ge)?|Ab)lehn/i },
  { word: "Verweigern", english: /\bdeclin(e|es|ed|ing)\b/i, german: /verweiger/i },
  { word: "Zurückgeben", english: /\b(send|sent) back\b/i, german: /zurück(ge)?geb|geht zurück/i },
  { word: "Verwerfen", english: /\bdrop\b|\bdropped\b/i, german: /verw[eo]rf/i },
  { word: "Widerrufen", english: /\brevoke/i, german: /widerruf/i },
  {
    word: "Zurücknehmen",
    english: /\b(take|taken|takes) (that |the newest decision |the queued answers )?back\b/i,
    german: /zurück(zu)?(ge)?n[eo]mm|zurück(zu)?nehm/i,
  },
  { word: "Rückgängig", english: /\bundo\b/i, german: /rückgängig/i },
  { word: "Auto", english: /\bAuto\b/, german: /\bAuto\b/ },
  { word: "Plan", english: /\bplans?\b/i, german: /\bpl(a|ä)n(e)?\b/i },
  { word: "Standard", english: /\bDefault\b/, german: /\bStandard\b/ },
  { word: "Anfrage", english: /\brequests?\b/i, german: /anfrage/i },
  { word: "Dauergenehmigung", english: /standing approval/i, german: /Dauergenehmigung/ },
  { word: "hohes Risiko", english: /\bhigh[- ]risk\b|\bhigh risk\b/i, german: /hohe(s|m) Risiko/i },
  { word: "verfallen", english: /\bexpire/i, german: /verf(a|ä)ll/i },
];

/** Messages that say it in another way, by word: those whose English takes the word from what it is given, or says "since it asked". */
export const excused: Record<string, string[]> = {
  Genehmigen: ["sentSet"],
  Ablehnen: ["sentSet"],
  Verweigern: ["sentSet"],
  Anfrage: ["asks", "serverWaits", "fileChanged", "placeChanged", "toolReplaced"],
};

/** Texts that are the same in both languages: names, and words that both have. */
export const alike = [
  "Agent",
  "Anthropic Messages",
  "Argument",
  "Auto",
  "Countersign",
  "Filter",
  "Format",
  "Host",
  "JSON",
  "Manifest",
  "Name",
  "OpenAI Responses",
  "Pause",
  "Plan",
  "Schema",
  "System",
  "Text",
  "Version",
];
