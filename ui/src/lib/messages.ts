// Every word of the window, with those of rules from i18n/en-rules.ts; long because words in several files can't be compared, checked or translated as one dictionary.

import type {
  Asks,
  Confining,
  Data,
  Group,
  Hold,
  InMode,
  Network,
  QuickState,
  Spent,
  ToolWord,
  Zone,
} from "./ipc/bindings";
import { symbols } from "./i18n/symbols";
import { rules } from "./i18n/en-rules";
import type { Operator } from "./linear";
import { plural } from "./i18n/en-words";
import { speech } from "./i18n/language.svelte";
import { count, cover, list, money } from "./text";

/** A reason from the system as a sentence of its own. */
function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? "" : "."}`;
}

/** Every word that the window says by itself, in English. What a message needs, it takes as values; sentences are never put together outside. */
export const en = {
  countersign: "Countersign",
  inbox: "Inbox",
  conversations: "Conversations",
  history: "History",
  rules: "Rules",
  settings: "Settings",
  screens: "Screens",
  waitingBadge: (n: number) => `${n} waiting`,
  inAuto: (n: number) => plural(n, "conversation", "conversations"),
  running: (n: number) => `${n} running`,
  cancel: "Cancel",
  close: "Close",
  back: "Back",
  copy: "Copy",
  copied: "Copied",
  copySecret: "Holds a secret: copy anyway",
  secretChip: (n: number) => `${cover} ${plural(n, "character", "characters")}`,
  secretCovered: (n: number) => `Secret, ${plural(n, "character", "characters")}, covered`,
  secretShow: "Show the secret",
  secretHide: "Cover the secret",
  retry: "Try again",
  skip: "Skip",
  deleted: "Deleted conversation",

  modePlan: "Plan",
  modeDefault: "Default",
  modeAuto: "Auto",
  modeAutoUntil: "Auto until this run ends",
  /** `until`: the time at which Auto ends at the latest. */
  modeName: (mode: "plan" | "default" | "auto", ends: boolean, until: string | null) => {
    if (mode !== "auto") return mode === "plan" ? "Plan" : "Default";
    if (until === null) return ends ? "Auto until this run ends" : "Auto";
    return ends ? `Auto until this run ends or ${until}` : `Auto until ${until}`;
  },

  waitingTab: (n: number) => (n === 0 ? "Waiting" : `Waiting ${n}`),
  commentOn: (step: number) => `You, on step ${step}`,
  commentAdd: (step: number) => `Comment on step ${step}`,
  commentEdit: (step: number, text: string) => `Edit your comment on step ${step}: ${text}`,
  commentKeys: "Enter keeps it · Shift+Enter new line · ⌫ on an empty one removes it",
  commentCount: (n: number) => plural(n, "comment", "comments"),
  commentsGo: "Goes back with your comments",
  planSteps: "Steps. J and K move, C comments.",
  planSince: "Changes since the last plan",
  planChanged: (added: number, removed: number) => `+${count(added)} −${count(removed)}`,
  approveDots: "Approve…",
  approveDrop: (n: number) => `Approve and drop ${plural(n, "comment", "comments")}`,
  approveAutoDrop: (n: number) => `Approve into Auto and drop ${plural(n, "comment", "comments")}…`,
  sendBackComments: (n: number) => `Send back, ${plural(n, "comment", "comments")}`,
  findMenu: "Find words and calls…",
  findLabel: "Find words and calls",
  findPlaces: "Places",
  findAgent: "Agent",
  findCall: "Call",
  findNext: "Next place, further back",
  findPrevious: "Place before, further on",
  findCount: (at: number, of: number, more: boolean) =>
    of === 0 ? "Nothing found" : `${at > 0 ? `${count(at)} of ` : ""}${count(of)}${more ? "+" : ""}`,
  filterConversations: "Filter by name, agent or words",
  filterNone: (text: string) => `No conversation is called “${text}”, and none says it.`,
  saidGroup: "Said in",
  saidMore: "There are more. Another word finds fewer.",
  panelWaiting: (n: number) => (n === 0 ? "Nothing is waiting" : `${count(n)} waiting`),
  detach: "Open in its own window",
  globalKey: "Quick panel from anywhere",
  globalKeyHelp: (keys: string) => `${keys} brings up what waits, over any other program. It decides nothing.`,
  globalKeyCommand: "This desktop lets no program hear keys. In its keyboard settings, bind a key to this command:",
  laterTab: (n: number) => (n === 0 ? "Later" : `Later ${n}`),
  later: "Later",
  laterMenu: "Later: put this set aside",
  laterMinutes: "15 minutes",
  laterHour: "1 hour",
  laterBack: "When I'm back",
  laterTomorrow: "Tomorrow 9:00",
  laterUntil: "Until a time…",
  laterTime: "Put aside until",
  laterSet: "Put aside",
  laterPast: "This time is over. Choose a later one.",
  notLater: "Back to Waiting",
  untilTime: (time: string) => `until ${time}`,
  untilBack: "until you're back",
  laterOnly: (n: number, until: string) => `${count(n)} set aside ${until}.`,
  nothingLater: "Nothing is set aside.",
  stateLater: "set aside",
  announceLater: "Set aside. What was decided is kept and not sent.",
  announceNotLater: "Waits again.",
  picked: (n: number) => `${count(n)} selected`,
  pickedReview: "Review",
  pickedClear: "Clear",
  isPicked: "selected",
  reviewTitle: (n: number) => `Review ${plural(n, "request", "requests")}`,
  reviewGroup: {
    commands: (n: number) => plural(n, "command", "commands"),
    files: (n: number) => plural(n, "edit", "edits"),
    other: (n: number) => plural(n, "call", "calls"),
    plans: (n: number) => plural(n, "plan", "plans"),
  },
  reviewApprove: (what: string) => `Approve ${what}`,
  reviewReject: (n: number) => `Reject ${count(n)}…`,
  reviewRejectNow: (n: number) => `Reject ${count(n)}`,
  reviewReadOn: "Read to the end of the group first",
  reviewLeftOut: "Left out",
  reviewWhy: {
    risk: "high risk",
    plan: "a plan",
    question: "asks for input",
    decided: "decided already",
    changed: "can't run as it was asked",
    gone: "closed",
    unread: "can't be shown",
  },
  reviewNeeds: (title: string, n: number) => `${title} needs ${count(n)} more.`,
  reviewComplete: "Every set here is decided.",
  reviewChosen: "Chosen",
  payloads: "What would run",
  reviewNotRead: (n: number) => `${plural(n, "group isn't", "groups aren't")} read to the end.`,
  correct: "Suggest other arguments…",
  correctTitle: "Suggest other arguments",
  correctNote: "Your arguments are not run. The agent gets them as a reason and asks again.",
  correctStored: "Asked for",
  correctWanted: "Instead",
  correctChanged: "changed",
  correctField: (name: string) => `Instead of ${name}`,
  correctJson: 'This is no JSON yet, such as 14, true or "text".',
  correctLeave: (name: string) => `Don't send ${name}`,
  correctConfirm: "Reject with correction",
  correctNothing: "Change an argument first.",
  correctMatches: "Matches your correction",
  correctDiffers: (time: string) => `Differs from your correction of ${time}`,
  similar: "Similar",
  similarNone: "You have decided about no other call of this tool yet.",
  similarSame: "the same arguments",
  similarLast: "last approved",
  differsHad: "there",
  differsHas: "here",
  differsMore: (n: number) => `${plural(n, "argument more differs", "arguments more differ")}`,
  notThere: "not sent",
  context: "Context",
  contextNone: "Nothing was said before.",
  recentReasons: "Reasons that you gave before",
  closedTab: "Just closed",
  filterAll: "All",
  filterPlans: "Plans",
  filterCommands: "Commands",
  filterFiles: "Files",
  filterOther: "Other",
  filterLabel: "Show sets with",
  asks: (asks: number, plans: number) =>
    [asks > 0 || plans === 0 ? plural(asks, "ask", "asks") : "", plans > 0 ? plural(plans, "plan", "plans") : ""]
      .filter(Boolean)
      .join(", "),
  sendsIn: (seconds: number) => `sends in ${seconds} s`,
  waitAlong: (n: number) => `+ ${plural(n, "call waits", "calls wait")} along`,
  willApprove: "will approve",
  willReject: "will reject",
  willAnswer: "will answer",
  willDecline: "will decline",
  willSendBack: "will send back",
  willRun: "will run",
  willDrop: "will drop",
  sending: "sending",
  queued: "queued",
  newBelow: (n: number) => `${n} new ↓`,
  sentSet: (sent: Record<"approved" | "answered" | "rejected" | "declined", number>, expired: number) => {
    const parts = [
      ...Object.entries(sent).flatMap(([word, n]) => (n > 0 ? [`${n} ${word}`] : [])),
      ...(expired > 0 ? [`${expired} expired`] : []),
    ];
    if (Object.values(sent).every((n) => n === 0)) return expired > 0 ? `${expired} expired` : "closed";
    return `Sent: ${parts.join(", ")}`;
  },
  kindCall: "call",
  kindRisk: "call, high risk",
  kindPlan: "plan",
  kindQuestion: "question",
  kindApproved: "approved, not run yet",
  stateStaged: "decided, not sent",
  stateSending: "sending",
  stateQueued: "queued until the run ends",
  stateClosed: "closed",
  nothingWaiting: "Nothing is waiting.",
  nothingWaitingRunning: (name: string, elapsed: string) =>
    elapsed === "" ? `${name}, running` : `${name}, running ${elapsed}`,
  lastDecision: (at: string) => `Last decision ${at}`,
  nothingWaitingQuiet: "When an agent needs your yes or no, it is here.",
  nothingClosed: "Nothing has closed yet.",
  nothingSelected: "Choose a request to see it in full.",
  hiddenByFilter: (n: number) => `${n} waiting, hidden by the filter.`,
  clear: "Clear",
  open: "Open",

  setProgress: (decided: number, of: number) => `${decided} of ${of}`,
  setQueued: (queued: number, decided: number, of: number) => `${queued} queued, ${decided} of ${of}`,
  takeBack: "Take back",
  sendsInBar: "Sends in ",
  undo: "Undo",
  sendCount: (n: number) => `Send ${n}`,
  sendPartly: (send: number, expire: number) => `Send ${send}, let ${expire} expire`,
  sendMore: "More ways to send",
  highRiskWaits: (n: number) => `${plural(n, "high-risk approval", "high-risk approvals")}. Press Send.`,
  review: "Review",

  asked: (ago: string) => `asked ${ago}`,
  agentsBetween: (n: number) => plural(n, "agent", "agents"),
  agentsOfPath: "Agents on the way to this call",
  reasonGoesTo: "Your reason goes to",
  openUntil: "open until the conversation moves on",
  onlyReads: "only read-only tools ran in this run",
  willRunLabel: "Will run",
  willChange: "Will change",
  willCreate: "Will create",
  showAll: (bytes: number) => `Show all (${plural(bytes, "byte", "bytes")})`,
  showMore: "Show more",
  resultParts: (shown: number, all: number) =>
    all === 1 || shown === all ? "All of it is shown." : `${count(shown)} of ${count(all)} parts are shown.`,
  willFetch: "Will fetch",
  willCall: "Will call",
  planLabel: "Plan",
  questionLabel: "Question, in the agent's words",
  questionLabelServer: "Question, in the server's words",
  noQuestionServer: "The server only sent the fields.",
  heldByServer: "held by server",
  askedByServer: "asked by server",
  serverWaits: "The server waits; withdrawn if it stops.",
  answersGoTo: "Answers go to",
  whileRuns: "while it runs",
  noQuestion: "The agent only sent the fields.",
  ranLabel: "The call",
  raw: "Raw",
  formatted: "Formatted",
  sideBySide: "Side by side",
  asText: "Read as text",
  spell: "Spell symbols",
  asTextHidden: (name: string) => ` [hidden: ${name}] `,
  asTextLine: (n: number) => `Line ${n}:`,
  asTextRemoved: (n: number) => `Removed line ${n}:`,
  asTextAdded: (n: number) => `Added line ${n}:`,
  asTextLevel: (n: number) => `level ${n}`,
  asTextEmpty: "empty",
  asTextDanger: "High risk.",
  asTextOperator: (operator: Operator) =>
    ({
      first: "Runs",
      and: "Then, if that worked,",
      or: "Or, if that failed,",
      then: "Then",
      pipe: "What it says goes to",
      beside: "Meanwhile",
    })[operator],
  notAnalysable: "This command could not be taken apart. Read it all.",
  unreadable: (why: string) => `This can't be shown formatted: ${why}`,
  partAgain: "Try again",
  partFailed: "This part couldn't be fetched; it counts as unread.",
  payloadFind: "Find in what would run",
  payloadFindOpen: "Find",
  payloadFindNext: "Next place",
  payloadFindPrevious: "Place before",
  treePairs: (n: number) => plural(n, "pair", "pairs"),
  treeItems: (n: number) => plural(n, "item", "items"),
  rawSize: (bytes: number) => plural(bytes, "byte", "bytes"),
  copyHash: "Copy SHA-256",
  runsIn: "runs in",
  defaultsLabel: "Left out by the agent",
  notSent: "not sent, default",
  foldedLines: (n: number) => plural(n, "unchanged line", "unchanged lines"),
  noFinalBreak: "no line break at the end",
  removedLine: (n: number) => `removed line ${n}`,
  addedLine: (n: number) => `added line ${n}`,
  rejectedBefore: "rejected before",
  rejectedThen: (time: string) => `You rejected this same call at ${time}.`,
  hiddenCharacters: (n: number) =>
    `Contains ${plural(n, "hidden character", "hidden characters")}. Each is shown as a marked chip.`,
  facts: "Facts",
  whyAsked: "Why am I asked?",
  whyRules: "Rules",
  whyStanding: "Standing approvals",
  whyMode: "Mode",
  agentSays: "Agent says",
  outcome: "Outcome",
  result: "Result",
  outline: "Outline",
  afterApproval: "After approval",
  askPerStep: "Ask per step",
  auto: "Auto",
  unlockAsks: "Asks",
  unlockFree: "Runs by itself",
  unlockUnknown: (servers: string[]) =>
    `And what ${servers.join(", ")} offers when it starts; it isn’t running now. Of that what you let run free runs by itself.`,
  none: "none",
  loading: "Loading",

  required: "required",
  leftOut: "left out",
  leaveOut: "Leave out",
  leaveOutNamed: (field: string) => `Leave out ${field}`,
  fieldDefault: "default:",
  choose: "Choose…",
  schema: "Schema",
  reveal: "Show",
  mask: "Hide",
  revealNamed: (field: string) => `Show ${field}`,
  answersGo: (tool: string) => `Answers go to ${tool} and into history`,
  withAnswers: "with your answers",
  withAnswersAnd: "with your answers and",
  takes: {
    text: "text",
    long: "text, may be long",
    number: "number",
    whole: "whole number",
    switch: "on or off",
    choice: "one of:",
    many: "any of:",
    date: "date",
    json: "JSON",
  },
  range: (least: string | null, most: string | null) =>
    least !== null && most !== null
      ? `${least} to ${most}`
      : least !== null
        ? `at least ${least}`
        : most !== null
          ? `at most ${most}`
          : "",
  fieldFault: {
    missing: "This is needed.",
    nothingTicked: "This is needed. To answer with none, tick one and untick it.",
    number: "A number is expected, such as 14.",
    whole: "A whole number is expected, such as 14.",
    range: (range: string) => `It has to be ${range}.`,
    date: "A date is expected, such as 2026-03-31.",
    json: "This is no JSON yet.",
  },

  decisions: "Decision",
  decline: "Decline",
  sendAnswer: "Send answer",
  declineAbout: (what: string) => `to decline ${what}`,
  declineWithReason: "Decline with reason",
  reject: "Reject",
  withReason: "With reason…",
  approve: "Approve",
  approveMenu: "More ways to approve",
  approveOnce: "Approve once",
  approveForConversation: "Approve for this conversation…",
  approveWithNote: "Approve with a note…",
  approveWithThis: "Approve with this note",
  approvalNote: "Note, kept with your approval",
  approvalNoteTell: "Tell the agent after the call",
  approvalNoteKeys: (key: string) => `${key} approves · Enter new line · Esc keeps the text`,
  approveStep: "Approve, ask per step",
  approveAuto: "Approve into Auto…",
  sendBack: "Send back…",
  drop: "Drop",
  runNow: "Run it now",
  reasonAbout: (what: string) => `to reject ${what}`,
  readToEnd: (more: number) => `Read to the end, ${count(more)} more`,
  notYet: "Not yet. Press again.",
  willBe: {
    approve: "Will be approved.",
    approve_for_conversation: "Will be approved, for this conversation.",
    reject: "Will be rejected.",
    correct: "Will be rejected, with your arguments as the reason.",
    sendBack: "Will be sent back.",
    approve_with_note: "Will be approved, with your note.",
    approve_plan_default: "Will be approved, asking per step.",
    approve_plan_auto: "Will be approved into Auto.",
    answer: "Will be answered.",
    decline: "Will be declined.",
    run: "Will run.",
    drop: "Will be dropped.",
  },
  stagedAlone: "Sends by itself.",
  stagedAloneWaits: (key: string) => `Press ${key} to send.`,
  stagedOthers: (others: number) => `Sends with ${plural(others, "other", "others")}.`,
  stagedOthersWait: (others: number, key: string) =>
    `Sends with ${plural(others, "other", "others")} when you press ${key}.`,
  stagedUndecided: (left: number) => `Sends when ${plural(left, "more is", "more are")} decided.`,
  change: "Change",
  reasonFor: (name: string) => `Reason for the agent of ${name}`,
  reasonForAgent: (name: string) => `Reason for ${name}`,
  noteFor: (name: string) => `What should change, for the agent of ${name}`,
  reasonKeys: "Enter decides · Shift+Enter new line · Esc keeps the text",
  rejectWithReason: "Reject with reason",
  sendBackWithNote: "Send back with this",
  reasonLength: (n: number) => `${n} / 500`,
  sendingBar: "Sending…",
  queuedBar: "Queued: sends when the run ends.",
  fileChanged: "The file changed since it asked. Approving would not run it.",
  placeChanged:
    "The folder, environment or confinement of commands changed since it asked. Approving would not run it.",
  toolGone: "The tool isn't there any more. Approving would not run it.",
  approvedAt: (at: string) => `You approved this at ${at}; Countersign stopped before it ran. Nothing has happened.`,
  digestMismatch: "What is shown changed. It was loaded again; look once more.",
  askAgain: "Ask again…",
  askAgainDraft: (verb: string, target: string) => `Please ask again for: ${verb} ${target}`.trim(),
  openConversation: "Open conversation",

  reachTitle: "Approve for this conversation",
  reachExact: "This exact call",
  reachExactHelp: "The same call with the same arguments.",
  reachTool: "Any arguments",
  reachToolHelp: (tool: string, name: string) =>
    `Every later call of ${tool} in ${name}, with any arguments, runs without asking.`,
  reachTick: "Yes, any command",
  reachOnlyExact: "Only this exact call is offered, because this command can't be told apart from others.",
  reachFoot: "Reject rules still stop it. You can revoke it under Rules.",
  reachConfirm: "Approve for conversation",
  autoTitle: "Approve into Auto",
  autoSentence: "Calls run without asking until the run ends.",
  autoSentenceStays: "Calls run without asking, in this run and every later one, until you change the mode.",
  autoSentenceUntil: (time: string) => `Calls run without asking until ${time}, in this run and every later one.`,
  autoSentenceBoth: (time: string) => `Calls run without asking until the run ends, but not after ${time}.`,
  autoEndAt: "End at",
  autoEndTime: "Time at which Auto ends",
  autoEndMissing: "Choose a time.",
  autoEndTooNear: "That is less than a minute away. Choose a later time.",
  autoEndTomorrow: (time: string) => `${time} tomorrow`,
  willBeAutoUntil: (time: string) => `Will be approved into Auto, until ${time} at the latest.`,
  autoRules: "Reject rules still stop them.",
  autoAsked: "No longer asks",
  onlyThisPlan: "For this plan only: back to Default when the run ends",
  autoConfirm: "Approve into Auto",
  turnOnAuto: "Turn on Auto",
  turnOnAutoTitle: "Auto",

  groupRunning: "Running",
  groupWaiting: "Waiting",
  groupIdle: "Idle",
  groupFailed: "Failed",
  newConversation: "New conversation",
  noConversations: "No conversation yet.",
  noConversationsMore: "Start one, and what its agent wants to change waits for you in the Inbox.",
  chooseConversation: "Choose a conversation.",
  roundOf: (round: number, limit: number) => `round ${round} of ${limit}`,
  doing: (tools: string[]) => `running ${list(tools)}`,
  thinking: "the model is writing",
  stopping: "stopping",
  seconds: (n: number) => `${n} s`,
  /** What model calls used up: nothing where there were none, and what isn't known is not zero. */
  spent: (sum: Spent) => {
    if (sum.calls === 0) return "";
    if (sum.counted === 0) return "tokens unknown";
    const all = (known: number, words: string) => (known < sum.calls ? `at least ${words}` : words);
    const tokens = all(sum.counted, `${count(sum.tokens_in)} + ${count(sum.tokens_out)} tokens`);
    if (sum.costs.length === 0) return tokens;
    return `${tokens} · ${all(sum.priced, sum.costs.map((cost) => money(cost.nano, cost.currency)).join(" + "))}`;
  },
  spentCached: (sum: Spent) =>
    `${count(sum.tokens_in)} read, ${count(sum.cached)} of them from a cache; ${count(sum.tokens_out)} written`,
  runEnded: (words: string) => `Ended: ${words}`,
  you: "You",
  foldedCalls: (n: number, parts: string) => `${n} calls: ${parts}`,
  foldedRan: (n: number) => `${n} ran`,
  foldedRejected: (n: number) => `${n} rejected`,
  foldedNever: (n: number) => `${n} never made`,
  task: "Task",
  agentInBackground: "in the background",
  worksBeside: "works in the background",
  suspendedBeside: "suspended: waits for you",
  besideLabel: "Agents in the background",
  olderEntries: "Show earlier",
  newerEntries: "Show later",
  latest: "↓ latest",
  waitingStrip: (n: number, verbs: string[]) => `${n} waiting: ${list(verbs)}`,
  answerInInbox: "Answer in the Inbox",
  messageTo: (name: string) => `Message ${name}…`,
  messageLabel: (name: string) => `Message to ${name}`,
  send: "Send",
  addToRun: "Add to this run…",
  addToRunLabel: (name: string) => `Add to the run of ${name}`,
  steer: "Steer",
  steeringWaits: "Waits for the agent's next step:",
  steeringMore: (n: number) => `${plural(n, "earlier one waits", "earlier ones wait")} too.`,
  queuedUntil: "Queued until the run ends",
  runHadEnded: "The run had ended. Send it as a new message?",
  goesWith: (n: number) => `Goes with your ${plural(n, "answer", "answers")}`,
  sendWith: (n: number) => `Send ${n} and this`,
  guard: (n: number, verbs: string[], approved: number) => {
    const open =
      n > 0 ? `Sending this drops ${plural(n, "open request", "open requests")}: ${list(verbs)}` : "Sending this drops";
    const late = approved > 0 ? `${plural(approved, "approved call", "approved calls")} that hasn't run` : "";
    return `${open}${n > 0 && late ? ", and " : n > 0 ? "" : " "}${late}.`;
  },
  answerFirst: "Answer first",
  sendAnyway: "Send anyway",
  busy: "A run has begun meanwhile. Your text is kept: add it to the run, or send it when the run has ended.",
  stop: "Stop",
  stopTitle: "Stop this conversation?",
  stopRunning: (tools: string[]) =>
    `${list(tools)} ${tools.length === 1 ? "is" : "are"} running and will be ended in the middle.`,
  stopConfirm: "Stop",
  keepRunning: "Keep running",
  failedKept: "Nothing is lost: what was stored is kept.",
  continueRun: "Continue",
  unfinished: "The last run ended before the model was done.",
  editAgent: "Edit agent…",
  rename: "Rename",
  renameTitle: "Rename the conversation",
  doubtHelp:
    "If you know what became of it, the agent can be told. It is put into the message field; nothing is sent by itself.",
  tellHappened: "Tell the agent it happened",
  tellDidnt: "… it didn't",
  doubtHappened: (call: string) => `“${call}”, which was cut off, did happen.`,
  doubtDidnt: (call: string) => `“${call}”, which was cut off, didn't happen.`,
  forkHere: "Fork here",
  forkOpen: "Fork here…",
  forkTitle: (name: string) => `Fork ${name}`,
  forkName: (name: string) => `${name} (fork)`,
  forkText:
    "A new conversation begins with everything that was said here. Open requests and standing approvals stay here, and nothing here changes.",
  forkTextUpto:
    "A new conversation begins with everything up to this message. Open requests and standing approvals stay here, and nothing here changes.",
  forkAuto: "It asks before it changes something: Auto isn't taken along.",
  forkConfirm: "Fork",
  forkedFrom: "Forked from",
  forkedFromGone: "Forked from a deleted conversation",
  forkedDeleted: "deleted",
  modeMark: (mode: "plan" | "default" | "auto", ends: boolean, until: string | null) => {
    if (mode !== "auto") return `Mode: ${mode === "plan" ? "Plan" : "Default"}`;
    if (until === null) return ends ? "Mode: Auto, until this run ends" : "Mode: Auto";
    return ends ? `Mode: Auto, until this run ends or ${until}` : `Mode: Auto, until ${until}`;
  },
  continueWords: "Continue.",
  name: "Name",
  save: "Save",
  delete: "Delete…",
  deleteTitle: (name: string) => `Delete ${name}?`,
  /** How many decisions there are isn't known at once. */
  deleteText: (open: number, decisions: number | null) => {
    const expire = open > 0 ? `${plural(open, "open request expires", "open requests expire")}. ` : "";
    if (decisions === null) return `${expire}History keeps its decisions.`;
    if (decisions === 0) return `${expire}Nothing was decided in it yet.`;
    return `${expire}History keeps its ${plural(decisions, "decision", "decisions")}.`;
  },
  deleteConfirm: "Delete",
  more: "More",
  modeOf: (name: string) => `Mode of ${name}`,
  fromNextRun: (mode: string) => `${mode} from the next run`,
  takeBackMode: "Keep the present mode",
  modePlanHelp: "Reads only, and proposes a plan.",
  modeDefaultHelp: "Asks before it changes something.",
  modeAutoHelp: "Runs without asking.",
  start: "Start",
  agent: "Agent",
  folder: "Folder",
  mode: "Mode",
  firstMessage: "First message",
  noAgents: "There is no agent yet.",
  connectModel: "Connect a model",
  standingLink: (n: number) => plural(n, "standing approval", "standing approvals"),

  quickTask: "Quick task",
  quickTasks: "Quick tasks",
  decisionsTab: "Decisions",
  quickField: "What is to be done?",
  quickHelp: "One run, on tools that need nobody. It never waits for you.",
  quickUses: (tools: string[]) => `Uses ${list(tools)}.`,
  quickUsesNone: "None of this agent's tools work without you. It answers from what it knows.",
  quickAuto: "In Auto its writes and commands run without asking.",
  quickState: (state: QuickState): string => {
    switch (state.is) {
      case "running":
        return state.stopping ? "Stopping" : state.round === 0 ? "Running" : `Running, round ${state.round}`;
      case "done":
        return "Done";
      case "limit":
        return "Ended at its limit of rounds";
      case "would_ask":
        return "Ended: it would have asked";
      case "failed":
        return "Failed";
      case "stopped":
        return "Stopped by you";
      case "interrupted":
        return "Interrupted";
    }
  },
  quickWouldAsk: (tool: string) => `Ended, because ${tool} would have had to ask you.`,
  quickWouldAskMore: (rounds: number) =>
    rounds === 0
      ? "A Quick task can't wait for an answer, so nothing was run."
      : `A Quick task can't wait for an answer. Nothing of that round ran; ${plural(rounds, "round", "rounds")} before it did.`,
  quickInterrupted: "Countersign ended while it ran. Nothing of it goes on by itself.",
  quickLimit: "The limit of rounds was reached. This is its last word.",
  quickStopped: "You stopped it. What had run is listed.",
  quickRounds: "What it did",
  quickResult: "Result",
  quickCalls: (n: number) => (n === 0 ? "no call" : plural(n, "call", "calls")),
  quickAsConversation: "Start it as a conversation",
  quickAgain: "Another task",
  quickRemove: "Remove",
  quickStop: "Stop",
  quickNone: "No Quick task yet.",
  quickNoneHelp: (keys: string) => `${keys} starts one: a single run that looks something up and needs nothing of you.`,
  quickOpen: "Open the Quick task",
  announceQuick: (text: string, state: string) => `Quick task ${text}: ${state}.`,

  historyCount: (n: number, since: string | null) =>
    since === null ? "No decision yet." : `${plural(n, "decision", "decisions")} since ${since}`,
  historyEmpty: "Every decision will be listed here, with who made it and what became of it.",
  historyShown: (shown: number, of: number) => `${count(shown)} of ${count(of)}`,
  searchHistory: "Search history",
  searchFilter: "Filter",
  searchClear: "Clear",
  searchEmpty: "Empty the box",
  searchKeep: "Keep this search",
  searchForget: "Forget this search",
  searchesSaved: "Kept searches",
  searchOn: (words: string, matched: number, more: boolean, of: number) =>
    `${words} · ${more ? `more than ${count(matched)}` : count(matched)} of ${count(of)}`,
  searchNone: "No decision matches",
  searchUnread: (n: number) => `${plural(n, "decision is", "decisions are")} still being read and can't be found yet.`,
  facets: {
    is: "Decision",
    by: "Decided by",
    outcome: "Outcome",
    kind: "Kind",
    agent: "Agent",
    tool: "Tool",
  },
  facetsNone: "Nothing to narrow.",
  facetsNewest: (n: number) => `Counted among the newest ${count(n)}.`,
  number: (n: number) => count(n),
  dateRail: "Months",
  railMonth: (month: string, n: number) => `${month}, ${plural(n, "decision", "decisions")}`,
  chainWhole: (ago: string) => `record checked ${ago}, intact`,
  chainChecking: "record is being checked",
  chainCheck: "Check the record",
  chainBroken: (date: string, time: string, entry: number) =>
    `The record doesn't add up from ${date} ${time} (entry ${count(entry)}).`,
  chainChanged: "From there on something was changed, removed or moved after it was written.",
  chainShorter:
    "Entries are missing that were there at the last check. An older copy of the database looks like this too.",
  chainShow: "Show",
  chartOpen: "Charts",
  chartsTitle: (n: number) => `The last ${n} days`,
  chartCaption: (n: number) => `you decided, and (grey) decided without asking, ${n} days`,
  chartPerDay: "Decisions per day",
  chartDay: "Day",
  chartAsked: "You decided",
  chartUnasked: "Without asking",
  chartByWhom: "By whom",
  chartTook: "Time to decide",
  chartSpans: ["under 5 s", "under 15 s", "under 1 min", "under 5 min", "under 1 h", "longer"],
  exportOpen: "Export…",
  exportTitle: "Export history",
  exportAll: (n: number) => `${count(n)} decisions, all of them.`,
  exportSome: (words: string, n: number, more: boolean) =>
    `${more ? `More than ${plural(n, "decision", "decisions")}` : plural(n, "decision", "decisions")}: ${words}.`,
  exportConversation: "Export the conversation",
  exportedConversation: (n: number) => `${plural(n, "message", "messages")} written.`,
  exportFormat: "Format",
  exportMask: "Mask secrets",
  exportMaskHelp: "What looks like a key, a token or a password becomes dots. Look at the file before you pass it on.",
  exportOpenHelp: "Keys, tokens and passwords in arguments stand in the file as they are.",
  exportFile: "File",
  exportFileHelp: "The whole path of a file that isn't there yet.",
  exportWrite: "Export",
  exportWriting: "Writing…",
  exportDone: (n: number) => `${plural(n, "decision", "decisions")} written.`,
  exportManifest: "Manifest",
  eraseOpen: "Delete a span…",
  eraseTitle: "Delete from history",
  eraseFrom: "From",
  eraseTo: "To and including",
  eraseNoSpan: "The last day lies before the first.",
  eraseCounting: "Counting…",
  eraseGoing: (n: number, more: boolean) =>
    n === 0
      ? "No decision of these days can go."
      : `${more ? `More than ${plural(n, "decision", "decisions")}` : plural(n, "decision", "decisions")} will go for good.`,
  eraseKeeps:
    "What waits, and everything of a conversation in which something waits or runs, stays. Conversations that you haven't deleted keep what was said in them. The record goes on adding up.",
  eraseConfirm: "Delete for good",
  eraseGone: (n: number) => `${plural(n, "decision is", "decisions are")} gone.`,
  recordTitle: "Record",
  moments: {
    proposed: "called",
    asked: "asked",
    seen: "seen",
    staged: "staged",
    decided: "decided",
    started: "started",
    ended: "ended",
  },
  recordBy: "Decided",
  recordReason: "Reason",
  recordDigest: "Digest",
  recordMatches: "✓ matches the stored bytes",
  recordDiffers: "The stored bytes aren't those that were decided on.",
  masks: "More to mask",
  masksHelp:
    "Regular expressions, one a line. What they match is covered on cards, becomes dots in exports and notifications, and isn't searched, besides what looks like a secret anyway.",
  keepLabel: "Keep decisions",
  keepHelp: "Decided and finished only; what waits or runs is never deleted by age.",
  keepForGood: "for good",
  keepDays: (n: number) => `${count(n)} days`,
  keepYear: "1 year",
  keepTitle: "Delete what is older?",
  keepConfirm: "Delete and keep to it",
  keepGoing: (n: number, more: boolean, days: string) =>
    n === 0
      ? `No decision is older than ${days} now. What becomes older goes from then on.`
      : `${more ? `More than ${plural(n, "decision", "decisions")}` : plural(n, "decision", "decisions")} older than ${days} will go for good, and what becomes older from then on.`,
  showOlder: "Show older",
  showNewer: "Show newer",
  columns: {
    time: "Time",
    conversation: "Conversation",
    call: "Call",
    target: "Target",
    decision: "Decision",
    outcome: "Outcome",
    took: "Time to decide",
  },

  standingTab: "Standing approvals",
  rulesSentence: "Everything that needs approval asks you.",
  standingNone: "No tool has a standing approval.",
  standingReach: (reach: string, since: string, used: number) => `${reach} · since ${since} · used ${count(used)}×`,
  revoke: "Revoke",
  revokeNamed: (tool: string, conversation: string) => `Revoke ${tool} in ${conversation}`,

  rehearsal: "Rehearsal",
  rehearsalStep: (step: number, steps: number) => `step ${step} of ${steps}`,
  rehearsalOver: "That was the rehearsal. History has all of it.",
  leave: "Leave",
  skipStep: "Skip step",
  rehearsalRule: "Make a first rule…",
  removeRehearsal: "Remove rehearsal",
  keepRehearsal: "Keep",
  reconnecting: "Connecting again…",
  restart: "Restart",

  welcome: "Your agents ask here first.",
  welcomeText: "They work on their own. What changes something waits for you.",
  welcomePromise: "Nothing is ever approved while you are away.",
  startRehearsal: "Start rehearsal",
  rehearsalHelp: "Two minutes with a scripted agent, in a throw-away folder. No key, no network.",
  connectHelp:
    "Any server that speaks OpenAI-compatible chat, OpenAI Responses or Anthropic Messages, on this machine or elsewhere.",
  notifyTitle: "May Countersign notify you?",
  notifyText: "When an agent asks and you are elsewhere, a notification says so. It never decides by itself.",
  sendTest: "Send a test",
  testWaiting: "Sent. Waiting: press its Review button, or click it.",
  testButton: (server: string) => `The Review button works here. Shown by ${server}.`,
  testClick: (server: string, buttons: boolean) =>
    buttons
      ? `A click works here. Shown by ${server}, which has buttons too; none was pressed.`
      : `Shown by ${server}, but buttons don't work here: a click opens the request.`,
  testShown: (server: string, buttons: boolean) =>
    buttons
      ? `Handed to ${server}, but no press came back. If you saw nothing, look whether it shows notifications of Countersign.`
      : `Handed to ${server}, which has no buttons; no click came back either.`,
  testNothing: (why: string | null) =>
    `Nothing arrived${why === null ? ": no notification service answers" : `: ${why}`}. The Inbox and the tray still show everything.`,
  testCan: (can: string) => `It says that it can: ${can}.`,
  leaveTrayTitle: "Countersign keeps running",
  leaveTrayText:
    "The window closes, and Countersign goes on in the tray. Agents keep working, and what waits is told. This is said once; it can be changed under Settings, General.",
  leaveTrayConfirm: "Close the window",
  leaveNoTrayTitle: "Quit, or keep running?",
  leaveNoTrayText:
    "This desktop shows no tray icon. Countersign can go on without a window; to see it again, start it again. Your choice is kept.",
  leaveNoTrayConfirm: "Keep running",
  leaveQuitTitle: "Quit Countersign?",
  leaveQuitText: (open: number) =>
    open === 1
      ? "1 request stays open. It is kept in its conversation."
      : `${open} requests stay open. They are kept in their conversations.`,
  leaveQuitLeaving: (leaving: number) =>
    leaving === 1
      ? "1 of them is decided and about to be sent."
      : `${leaving} of them are decided and about to be sent.`,
  quit: "Quit",
  sendNow: "Send now",
  keepForLater: "Keep for later",
  goOn: "Go on",
  connectTitle: "Connect a model",
  looking: "Looking for model servers on this machine…",
  foundServer: (name: string, models: number) => `${name} · ${plural(models, "model", "models")}`,
  foundNone: "No model server answers on this machine. Type an address.",
  use: "Use",
  format: "Speaks",
  formatNames: {
    open_ai_chat: "OpenAI-compatible chat",
    open_ai_responses: "OpenAI Responses",
    anthropic_messages: "Anthropic Messages",
  },
  formatHelp: {
    open_ai_chat: "Most servers on your machine and most hosted services",
    open_ai_responses: "Keeps a model's reasoning, encrypted, from round to round; asks to store nothing there",
    anthropic_messages: "Keeps a model's signed thinking from round to round",
  },
  address: "Address",
  addressHelp: {
    open_ai_chat: "Such as http://127.0.0.1:11434/v1",
    open_ai_responses: "Such as https://api.openai.com/v1",
    anthropic_messages: "Such as https://api.anthropic.com/v1",
  },
  key: "Key",
  keyNone: "None",
  keyKeyring: "In the system's keyring",
  keyEnv: "From an environment variable",
  keyFile: "In a file of Countersign's, readable only by you",
  keyEnvName: "Name of the variable",
  newKey: "New key",
  newKeyHelp: "What is stored is never shown. Leave this empty to keep it.",
  keyringMissing: (why: string) => `The system's keyring doesn't answer: ${why}`,
  fileConsent: "I understand that the key is then stored unencrypted in a file that programs of mine can read.",
  model: "Model",
  listModels: "List models",
  agentName: "Name of the agent",
  workspaceFolder: "Workspace folder",
  folderHelp: "The whole path. Its tools stay inside.",
  connectConfirm: "Save and start",
  testConnection: "Test connection",
  testing: "Testing…",

  sectionGeneral: "General",
  sectionDeciding: "Deciding",
  sectionNotifications: "Notifications",
  sectionAgents: "Agents & models",
  sectionKeyboard: "Keyboard",
  sectionAccessibility: "Accessibility",
  sectionData: "Data & privacy",
  sectionAbout: "About",
  language: "Language",
  languageHelp: "Of the window, notifications and the tray. What agents, tools and servers say stays in their words.",
  languageSystem: "System",
  theme: "Theme",
  themeHelp: "Follows the system unless you choose one.",
  themeSystem: "System",
  themeLight: "Light",
  themeDark: "Dark",
  reset: "Reset",
  findSetting: "Find a setting",
  noSetting: (text: string) => `No setting is called “${text}”.`,
  density: "Density",
  densityHelp: "How tall the rows of lists are.",
  densityComfortable: "Comfortable",
  densityCompact: "Compact",
  zoom: "Zoom",
  zoomHelp: (larger: string, smaller: string, usual: string) =>
    `${larger} makes everything larger, ${smaller} smaller, ${usual} as usual.`,
  readAsText: "Show what would run as lines of text",
  readAsTextHelp:
    "For screen readers: one line for each part, changed lines by their numbers, hidden characters by their names. Also on each request.",
  spellSymbols: "Spell symbols",
  spellSymbolsHelp: "In those lines each symbol stands by its name: “dash”, “slash”, “dollar”.",
  symbols: symbols,
  highContrast: "High contrast",
  highContrastHelp: "Text on a pure ground, strong edges, no soft colours. Also when the system wishes more contrast.",
  highContrastSystem: "The system wishes more contrast, so it is on in any case.",
  readingGate: "Read to the end before approving",
  readingGateHelp: "What doesn't fit must have been in view to its end. What is of high risk always must.",
  armingAlways:
    "A press never counts in the first moment after something new came under it. This can't be switched off.",
  followsSystem: "What follows the system",
  followsSystemList: () => [
    "Reduced motion: nothing moves, and the time before a set leaves is a number.",
    "More contrast: the high-contrast colours are used.",
    "Forced colours: only the system's own colours are used, and edges show what is chosen.",
    "Light or dark, and the language, unless one is chosen under General.",
  ],
  keyboardHelp: "Press an action, then its new key. Esc leaves it as it is.",
  keyPress: "Press a key…",
  keyPressNext: "G, and…",
  keyChange: (keys: string) => `, now ${keys}, change the key`,
  keyAlways: "always the same",
  keyTaken: (keys: string, action: string) => `${keys} is the key of: ${action}.`,
  keySwap: "Swap them",
  keyLeave: "Leave it",
  keyRefused: {
    fixed: "This key means the same in every field and sheet, so it stays.",
    escape: "Esc only goes back. It never does anything else.",
    press: "Enter and Space press what has the focus, so they never decide by themselves.",
    text: "Text fields need this key.",
    system: "This key belongs to the system.",
    prefix: "G begins the keys that go to a screen. Press another one after it.",
  },
  keysReset: "Reset all keys",
  announceAllDefault: (n: number) =>
    n === 0 ? "No conversation is in Auto." : `${plural(n, "conversation is", "conversations are")} back to Default.`,
  singleKeys: "Single keys",
  singleKeysHelp: "A, R, U and the others act while the list or the detail has the focus.",
  grace: "Time before a decided set leaves",
  graceHelp: "Until then every decision can be taken back. Approvals of high risk always wait for Send.",
  graceSeconds: (n: number) => (n === 0 ? "At once" : `${n} s`),
  graceManual: "Only when I press Send",
  notify: "Notifications",
  notifyHelp: "One for each conversation that waits for you, and nothing else.",
  pauseNotices: "Pause",
  pauseNoticesHelp: "Nothing is told meanwhile, and nothing is decided. What still waits is told when it ends.",
  pausedUntil: (time: string) => `Paused until ${time}. What still waits is told then.`,
  pauseFor: "Pause notifications",
  pauseNot: "Not paused",
  pauseHalfHour: "30 minutes",
  pauseHour: "1 hour",
  pauseTomorrow: "Until tomorrow",
  resumeNotices: "Resume",
  quietHours: "Quiet hours",
  quietHoursHelp: "Nothing is told in these hours, and nothing is decided.",
  quietFrom: "Quiet from",
  quietTo: "Quiet until",
  quietBetween: "to",
  notifyPlans: "Plans",
  notifyPlansHelp: "Tell when an agent hands in a plan.",
  notifyStopped: "Stopped in Auto",
  notifyStoppedHelp: "Tell when a rule stops a call of a conversation in Auto.",
  reminders: "Reminders",
  remindersHelp: "After 10 minutes and an hour later, and once when you come back. Then never again.",
  approveFromNotice: "Approve in a notification",
  approveFromNoticeHelp:
    "Only for one small call of low risk that the notification shows in whole, while the screen is known to be unlocked. Undo takes its place until it is sent.",
  approveNeedsFull: "It needs the level that shows the first line of the call.",
  sound: "Sound",
  soundHelp: "Two soft notes, at most once in ten seconds. Where no notification can be shown, they sound in any case.",
  volume: "Volume",
  startAtLogin: "Start with the session",
  startAtLoginHelp: "Without its window. The desktop's own settings can switch it off as well.",
  closeToTray: "Keep running when the window closes",
  closeToTrayHelp: "In the tray, or, where there is none, without a window until you start it again.",
  privacy: "What a notification says",
  privacyHelp: "Agent-written text is never in one.",
  privacyFull: "The first line of the call",
  privacyTarget: "What it wants to do, and where",
  privacyPrivate: "Only how many wait",
  testNotice: "Test",
  testNoticeHelp: "Shows one with a Review button and says what came back.",
  agentNew: "New agent",
  agentWho: "Who",
  agentModel: "Model",
  temperature: "Temperature",
  temperatureHelp: (messages: boolean) => `0 to ${messages ? 1 : 2}; empty is the model's own. Some models take none.`,
  mostTokens: "Most tokens a reply",
  mostTokensHelp: (messages: boolean) =>
    messages ? "Empty is up to 32,000, or what the model gives." : "Empty is the model's own. Thinking counts.",
  thinkingFirst: "Thinking before it replies",
  thinkingHelp: "Not every model can. One that refuses it says so when it is asked.",
  thinkingName: (value: string) =>
    ({
      unstated: "As the model does by itself",
      off: "Off",
      minimal: "Hardly",
      low: "A little",
      medium: "As usual",
      high: "Long",
      budget: "Up to a number of tokens",
    })[value] ?? value,
  thinkingTokens: "Tokens for thinking",
  headers: "Headers of your own",
  headersHelp: "They go with every request to the model. A secret is kept where keys are kept, and never shown.",
  headerName: "Name of the header",
  headerKind: "What stands in it",
  headerPlain: "A text",
  headerSecret: "A secret",
  headerEnv: "What an environment variable holds",
  headerValue: "Value",
  headerAdd: "Add a header",
  headerRemove: "Remove",
  headerRemoveNamed: (name: string) => (name === "" ? "Remove this header" : `Remove ${name}`),
  prices: "Prices",
  pricesHelp: "For a million tokens. With them the cost is shown; a call costs what was said when it was made.",
  pricesAdd: "Add prices",
  pricesRemove: "Remove prices",
  currency: "Currency",
  priceInput: "Read",
  priceOutput: "Written",
  priceCached: "Read from a cache",
  priceWritten: "Put into a cache",
  priceAsInput: "as read",
  agentWhere: "Where",
  agentHow: "How",
  agentTools: "Tools",
  instructions: "Instructions",
  startMode: "Start mode",
  rounds: "Rounds a run",
  caps: "Limits of a run and the agents below it",
  capsHelp: "How much one run and all agents below it may do together.",
  capModelCalls: "Model calls, up to 200",
  capAgents: "Agents started, up to 50",
  capBeside: "Beside it at once, up to 8",
  agentSubAgents: "Agents that it can start",
  subAgentsHelp:
    "What such an agent wants to change asks you in the conversation of this one. It has its own tools, folder and model.",
  subAgentsNone: "It works alone.",
  subAgentsNoOther: "There is no other agent that it could start.",
  subAgentAdd: "Add an agent",
  subAgentRemove: "Remove",
  subAgentRemoveNamed: (name: string) => `Remove ${name}`,
  subAgentWhich: "Agent",
  subAgentTool: "Its name for the model",
  subAgentToolHelp: "1 to 64 letters, digits, _ or -",
  subAgentTold: "What the model is told about it",
  subAgentToldHelp: "When to start it, and what it is good at.",
  subAgentAnswer: "Meanwhile this agent",
  subAgentWaits: "Waits for the answer",
  subAgentBeside: "Goes on beside it",
  subAgentAsks: "Starting it asks you first",
  subAgentGone: "an agent that was deleted",
  toolAsks: (asks: Asks): string => {
    switch (asks) {
      case "always":
        return "asks";
      case "chosen":
        return "asks, because you want it";
      case "never":
        return "runs by itself";
      case "question":
        return "asks you something";
    }
  },
  toolInPlan: "also in Plan",
  groupName: (group: Group): string => {
    switch (group) {
      case "look":
        return "Look at files";
      case "change":
        return "Change files";
      case "command":
        return "Run commands";
      case "web":
        return "Fetch from the web";
      case "ask":
        return "Ask you";
      case "agent":
        return "Other agents";
      case "server":
        return "Tool servers";
      case "other":
        return "Everything else";
    }
  },
  fetches: "Fetches",
  fetchesPublic: "Public addresses",
  fetchesPrivate: "Private ones too",
  fetchesPublicHelp: "Addresses of this computer and of private networks are refused.",
  fetchesPrivateHelp:
    "Its fetches can reach this computer and your networks. Each one asks, unless you let the tool run without asking.",
  zone: "Where the model runs",
  zoneName: (zone: Zone): string => {
    switch (zone) {
      case "unstated":
        return "Not said";
      case "local":
        return "This computer";
      case "private":
        return "Own machines";
      case "external":
        return "Elsewhere";
    }
  },
  zoneHelp: (zone: Zone): string => {
    switch (zone) {
      case "unstated":
        return "Nothing is held back from it.";
      case "local":
        return "Every tool's results may go to it.";
      case "private":
        return "Results may go to it, except of tools that nobody classified.";
      case "external":
        return "What lies in the folder may go to it; what could show the rest of this computer may not.";
    }
  },
  hold: "Confine commands",
  holdName: (hold: Hold): string => {
    switch (hold) {
      case "strongest":
        return "If possible";
      case "required":
        return "Always";
      case "never":
        return "Never";
    }
  },
  holdHelp: (hold: Hold, missing: string | null): string => {
    if (hold === "never") return "A command can do what you can do, and could operate Countersign itself.";
    if (missing === null)
      return "A command writes only in the workspace and temp, and reaches neither Countersign's own files nor the desktop.";
    return hold === "required"
      ? `This machine can't confine commands, so none of this agent's commands run. ${sentence(missing)}`
      : `This machine can't confine commands: they can do what you can do, and could operate Countersign itself. ${sentence(missing)}`;
  },
  commandNetwork: "Network for commands",
  networkName: (network: Network): string => (network === "on" ? "On" : "Off"),
  networkHelp: (network: Network, missing: string | null): string => {
    if (network === "on") return "A command can connect to anything, this machine's own services included.";
    return missing === null
      ? "A command can't connect to anything, this machine's own services included."
      : `This machine can't switch the network off for commands, so none of this agent's commands run. ${sentence(missing)}`;
  },
  confiningFound: (found: Confining): string => {
    if (found.no_files !== null)
      return `This machine can't confine commands: each can do what you can do, and could operate Countersign itself. ${sentence(found.no_files)}`;
    return found.no_network === null
      ? "This machine can confine commands to the workspace and temp, and switch the network off for them."
      : `This machine can confine commands to the workspace and temp, but not switch the network off for them. ${sentence(found.no_network)}`;
  },
  ceiling: "Tools that can show more",
  ceilingEnforce: "Hold back",
  ceilingObserve: "Only point out",
  sectionTools: "Tools & servers",
  switchedForAll: "Switched for all agents",
  toolsHelp: "What you switch off is off from the next call on, in runs that go on too.",
  toolsUnreadable: "What was switched can't be read, so every tool is off. Switch something to write it anew.",
  askFirst: (tool: string) => `Ask before ${tool}`,
  askFirstShort: "Ask first",
  toolOn: (tool: string) => `${tool} is on`,
  toolServers: "Tool servers",
  serversHelp: "Programs and addresses that give your agents more tools. Every call asks until you say otherwise.",
  serversNone: "No tool server is set up.",
  serversList: "Servers that are set up",
  serverAdd: "Add a server…",
  serverOff: "Off",
  serverIdle: "Not started",
  serverStarting: "Starting…",
  serverRunning: (tools: number) => `Running · ${plural(tools, "tool", "tools")}`,
  serverFailed: "Can't be used:",
  serverAgain: (seconds: number) => (seconds === 0 ? "Tried again now." : `Tried again in ${seconds} s.`),
  serverUsedBy: (agents: string[]) => `Used by ${list(agents)}`,
  serverUnused: "No agent uses it. Tick it in an agent's editor.",
  serverTightened: (n: number) =>
    n === 1 ? "1 tool asks again: the server changed it" : `${count(n)} tools ask again: the server changed them`,
  serverCut: (cut: string) => `Not all of it is shown. ${sentence(cut)}`,
  serversAll: "All servers",
  serverGone: "This server isn't there any more.",
  serverCalls: "calls itself",
  serverRestart: "Restart",
  serverUsed: (name: string) => `${name} is used`,
  serverDelete: "Delete…",
  serverDeleteTitle: (name: string) => `Delete ${name}?`,
  serverDeleteText: (agents: string[]) =>
    agents.length === 0
      ? "No agent uses it. Its stored secrets go with it."
      : `${list(agents)} ${agents.length === 1 ? "goes" : "go"} on without its tools. Its stored secrets go with it.`,
  serverDeleteConfirm: "Delete server",
  serverStrip: (name: string) => `Tool server “${name}” can't be used:`,
  serverStripMore: (n: number) => `And ${plural(n, "other tool server", "other tool servers")}.`,
  show: "Show",
  showNamed: (name: string) => `the tool server ${name}`,

  serverTabs: "What is shown of the server",
  serverTabTools: "Tools",
  serverTabSetup: "Set-up",
  serverTabSetupUnsaved: "Set-up, not saved",
  serverTabLog: "Log",

  addServerTitle: "Add a server",
  addServerField: "Command line, address, or the JSON that other programs use",
  addServerRead: "Look at it",
  addServerHelp: "Nothing is started or saved by looking.",
  addServerOther: "Another text",
  addServers: (n: number) => (n === 0 ? "Add servers" : `Add ${plural(n, "server", "servers")}`),
  addServerFound: (n: number) => `${plural(n, "server", "servers")} found`,
  addServerTick: (name: string) => `Add ${name}`,
  wouldStart: "Would start",
  wouldReach: "Would be reached at",
  runsWithYourRights: "It runs with your rights, outside the confinement of commands.",
  notEncrypted: "This address isn't encrypted.",
  hiddenInField: (n: number) => `Contains ${plural(n, "character", "characters")} that can't be seen here.`,

  serverName: "Name",
  serverProgram: "Program",
  serverArgs: "Arguments, one a line",
  serverArgsJson: "Arguments, as a JSON list",
  serverArgsJsonHelp: "One of them holds a line break or is empty, so lines couldn't tell them apart.",
  serverArgsFault: 'A JSON list of texts is expected, such as ["-y", "name"].',
  serverFolder: "Folder that it starts in",
  serverFolderHelp: "The whole path. Without one it is your home folder.",
  serverUrl: "Address",
  serverRoots: "Folders that it is told about, one a line",
  serverRootsHelp: "Only when it asks. It can reach others all the same.",
  serverStart: "Seconds that it may take to start, up to 300",
  serverCall: "Seconds that a call may take without a sign of life, up to 3600",
  serverData: "What its results can show",
  dataName: (data: Data): string => {
    switch (data) {
      case "public":
        return "What anybody can have";
      case "given":
        return "What I write";
      case "workspace":
        return "What is in the folder";
      case "machine":
        return "Anything on this computer";
      case "unclassified":
        return "Not said";
    }
  },
  dataHelp: (data: Data): string => {
    switch (data) {
      case "public":
        return "What anybody on the network can have, and nothing of yours.";
      case "given":
        return "What you write for the agent, and nothing else of yours.";
      case "workspace":
        return "What lies in the agent's folder.";
      case "machine":
        return "Everything that you can read on this computer.";
      case "unclassified":
        return "Counts as the most: no model away from this computer gets its results.";
    }
  },
  serverLaunchChanged: "Changing this drops what you had loosened: its tools ask again.",
  serverSaved: "Saved.",
  notSaved: "Not saved",

  serverEnv: "Variables",
  serverHeaders: "Headers",
  variableName: (n: number) => `Name ${n}`,
  variableValue: (name: string) => `Value of ${name}`,
  variableWhere: (name: string) => `Where the value of ${name} is kept`,
  variablePlain: "Here, readable",
  variableKeyring: "Key store",
  variableFile: "File",
  variableEnv: "Variable of mine",
  variableEnvName: (name: string) => `Which variable of yours ${name} gets`,
  variableKept: "Kept; type to replace",
  variableKnown: "Known, not shown",
  variableNew: "Type its value",
  variableAdd: "Add a variable",
  serverHeaderAdd: "Add a header",
  variableRemove: (name: string) => `Remove ${name}`,
  remove: "Remove",
  serverFileConsent:
    "I understand that these values are then stored unencrypted in a file that programs of mine can read.",

  wordAll: "What you say of all its tools",
  wordAllHelp: "Said of exactly the tools as they are now. Later or changed ones ask.",
  wordOne: "What you say of this tool",
  wordOneHelp: "Said of exactly what is shown here. If the server changes it, it asks again.",
  wordCalls: "Calls",
  wordFirst: "Calls ask first",
  wordNever: "Run without asking",
  wordAsServer: "As the server",
  wordFirstOne: "Asks first",
  wordNeverOne: "Runs without asking",
  wordReadOnly: "Offered in Plan (you say that they only read)",
  wordReadOnlyOne: "Offered in Plan (you say that it only reads)",
  wordParallel: "May run beside each other",
  wordParallelOne: "May run beside other calls",
  wordLost: "What is started isn't what you said this of any more, so it doesn't hold: its tools ask.",
  wordSheetTitle: "Loosen all its tools",
  wordSheetNever: (n: number) =>
    n === 1 ? "Calls of its 1 tool run without asking." : `Calls of its ${count(n)} tools run without asking.`,
  wordSheetReadOnly: (n: number) => `Plan offers its ${plural(n, "tool", "tools")}: you say that they only read.`,
  wordSheetParallel: (n: number) => `Calls of its ${plural(n, "tool", "tools")} may run beside each other.`,
  wordSheetScope: "This covers exactly the tools as they are now. Tools that come later or change ask.",
  wordSheetTightened: (n: number) =>
    n === 1
      ? "1 of them asks again because the server changed it. This covers it as it is now."
      : `${count(n)} of them ask again because the server changed them. This covers them as they are now.`,
  wordSheetRejects: "Reject rules still stop calls.",
  wordSheetConfirm: (word: ToolWord, n: number) =>
    word.asks === "never"
      ? `Run ${plural(n, "tool", "tools")} without asking`
      : `Say this of ${plural(n, "tool", "tools")}`,
  wordNoTools: "What its tools are isn't known yet, so nothing can be said of them. Start the server first.",
  wordLooked: "I looked at it as it is now: what I said holds for it.",
  wordSave: "Say this of the tool",
  wordOf: (word: ToolWord): string =>
    word.asks === null ? "as the server" : word.asks === "first" ? "asks first" : "runs without asking",
  wordPlanMark: "Plan",
  wordBesideMark: "beside others",
  claimsWords: (claims: string[]) => (claims.length === 0 ? "claims nothing" : `says: ${claims.join(", ")}`),
  toolsFilter: "Filter tools",
  toolsShown: (shown: number, of: number) =>
    shown === of ? plural(of, "tool", "tools") : `${count(shown)} of ${plural(of, "tool", "tools")}`,
  toolsNone: "What its tools are isn't known yet.",
  toolsNoMatch: "No tool matches.",
  toolsMore: (n: number) => `Show ${count(n)} more`,
  toolTightened: "Asks again: the server changed it",
  toolOff: "switched off for all agents",
  toolOpen: (name: string) => `Show ${name} in full`,
  toolInMode: (mode: "plan" | "default" | "auto", is: InMode) =>
    `${mode === "plan" ? "Plan" : mode === "default" ? "Default" : "Auto"} ${is}`,
  toolLastUsed: (ago: string) => `used ${ago}`,
  toolNeverUsed: "never used",
  toolTold: "Models are told",
  toolFingerprint: "Fingerprint",
  toolTitle: "Its title",
  toolDescription: "The server says",
  toolSchema: "Arguments (JSON Schema)",
  toolClaims: "Its claims",
  toolClaimsHelp: "The server's own words. They decide nothing.",
  toolNoDescription: "Nothing.",
  toolMoved: "The server changed this tool since it was shown. Look at it again.",
  logNone: "Nothing was written yet.",
  logAgain: "Load again",
  logCopy: "Copy the log",
  logOurs: "Countersign",
  logTheirs: "the server",

  agentServers: "Tool servers",
  agentServersHelp: "Which servers' tools it has.",
  agentServersNone: "No tool server is set up. Add one under Tools & servers.",
  agentServersTools: (tools: number, servers: number) =>
    `And ${plural(tools, "tool", "tools")} of ${plural(servers, "server", "servers")}, as far as is known.`,
  agentServersNoTools: "It has no tool server.",
  agentServersUnchosen: (n: number) =>
    `Only chosen tools are on, and ${n === 1 ? "1 known tool of its servers isn't" : `${count(n)} known tools of its servers aren't`} among them.`,
  agentServersChoose: "Choose them too",
  agentServerGone: "a server that was deleted",

  ofServer: (name: string) => `tool server “${name}”`,
  ofServerGone: "tool server: a server that was removed",
  ofServerClaims: (claims: string[]) => `says: ${claims.join(", ")} · the server claims this; it decides nothing`,
  ofServerTightened: "Asks again: the server changed this tool since you let it run",
  serverSays: "The server says",
  toolReplaced: "The server changed this tool since it asked. Approving would not run it.",
  savedRevision: (n: number) => `Saved as revision ${n}. Running conversations keep the old one until their next run.`,
  deleteAgent: "Delete agent",
  startAuto:
    "New conversations of this agent run without asking from their first message on. Reject rules still stop calls.",
  exportEverything: "Export everything",
  exportEverythingHelp: "Settings, agents, rules, conversations and all decisions in one file, without keys.",
  exportEverythingText:
    "All that Countersign keeps: settings, agents and tool servers without their keys, rules, standing approvals, conversations, Quick tasks and decisions.",
  exportEverythingDone: (lines: number) => `${plural(lines, "line", "lines")} written.`,
  dataWhere: "Where data lives",
  dataText: "Everything stays on this machine: conversations, decisions and their payloads. Keys are never in it.",
  rehearsalData: "Rehearsal",
  rehearsalStored: "A rehearsal is stored, apart from your own data.",
  rehearsalNotStored: "No rehearsal is stored.",
  version: "Version",
  licence: "Licence",
  licenceText:
    "Countersign is MIT-licensed. The fonts Inter and JetBrains Mono are under the SIL Open Font License 1.1, the icons of Lucide under the ISC licence.",
  on: "On",
  off: "Off",

  keysTitle: "Keys",
  keyGroups: { list: "List", decide: "Decide", detail: "Detail", go: "Go to" },
  keyLabels: {
    next: "Next row",
    previous: "Previous row",
    "next-set": "Next set",
    "previous-set": "Previous set",
    enter: "Into the detail",
    back: "Back to the list",
    approve: "Approve; of a question, the next field or the answer",
    "approve-more": "Approve for the conversation, or into Auto",
    reject: "Reject or decline",
    "reject-reason": "Reject or decline with a reason",
    correct: "Suggest other arguments",
    comment: "Comment on a step of a plan",
    later: "Put the set aside",
    pick: "Select, for reviewing several",
    "extend-next": "Select this one and the next",
    "extend-previous": "Select this one and the one before",
    send: "Send the set now",
    undo: "Take the newest decision back",
    "page-down": "A page down in the payload",
    raw: "The exact stored text, and back",
    detach: "The request in its own window",
    "open-conversation": "Open the conversation",
    "make-rule": "Make a rule from this call",
    mode: "Mode of the conversation",
    "next-change": "Next change of a file",
    "previous-change": "Previous change of a file",
    wide: "Hide the list, and show it again",
    stop: "Stop the conversation",
    "all-default": "All conversations back to Default",
    search: "Search in this screen",
    "zoom-in": "Larger",
    "zoom-out": "Smaller",
    "zoom-reset": "Usual size",
    "older-month": "An older month of history",
    "newer-month": "A newer month of history",
    "next-pane": "Next pane",
    "quick-task": "Quick task",
    "new-conversation": "New conversation",
    save: "Save the agent or the tool server",
    "go-inbox": "Inbox",
    "go-conversations": "Conversations",
    "go-history": "History",
    "go-rules": "Rules",
    "go-settings": "Settings",
    palette: "Find an action, a screen or a conversation",
    help: "All keys",
  },
  keysDecide: "Decisions are only listed here. They are made at their request.",
  keysNotHere: "not on this screen",
  keysSingleOff: "Single keys are switched off in the settings. Only the others are listed.",

  palette: "Actions",
  paletteField: "Find an action, a screen, a conversation…",
  paletteGroups: {
    request: "Selected request",
    screens: "Screens",
    conversations: "Conversations",
    settings: "Settings",
    start: "Start",
    servers: "Tool servers",
    more: "More",
  },
  /** Each opens the request, which is what the dots say. */
  paletteDecide: {
    call: {
      approve: "Approve…",
      "approve-more": "Approve for this conversation…",
      reject: "Reject…",
      "reject-reason": "Reject with a reason…",
    },
    plan: { approve: "Approve, ask per step…", "approve-more": "Approve into Auto…", reject: "Send back…" },
    question: { approve: "Answer…", reject: "Decline…", "reject-reason": "Decline with a reason…" },
    approved: { approve: "Run it now…", reject: "Drop…" },
  },
  paletteSend: "Send the set…",
  paletteOpens: "Opens the request. Nothing is decided from here.",
  paletteNewWith: (agent: string) => `New conversation with ${agent}`,
  paletteKeys: "↑ ↓ choose · ⏎ go · Esc back",
  paletteNoRequest: "No request is selected.",
  paletteClosed: "This request is closed.",
  paletteDecided: "It is decided already. Take that back first.",
  paletteSent: "Its decision is on its way.",
  paletteNoReach: "This call can only be approved once.",
  paletteNoForm: "It can't be shown as a form, so it can only be declined.",
  paletteNothingStaged: "Nothing of this set is decided yet.",
  paletteNotShown: "Only while the request is shown.",
  paletteNoConversation: "No conversation is open.",
  paletteNone: (text: string) => `Nothing here is called “${text}”.`,
  paletteFound: (n: number) => plural(n, "entry", "entries"),
  paletteMore: (n: number) => `${count(n)} more. Type to find them.`,
  newAgentName: "Assistant",

  justNow: "just now",
  minutes: (n: number) => `${n} min`,
  hours: (n: number) => `${n} h`,
  days: (n: number) => `${n} d`,
  ago: (age: string) => `${age} ago`,
  today: "Today",
  yesterday: "Yesterday",
  weekday: (name: string, date: string) => `${name} ${date}`,
  lessThan: (amount: string) => `less than ${amount}`,

  announceAsk: (title: string, verb: string, waiting: number, key: string | null) =>
    `New: ${title} asks: ${verb}. ${waiting} waiting.${key === null ? "" : ` Press ${key}.`}`,
  announceApproved: (key: string) => `Approved, not sent yet. Press ${key} to undo.`,
  announceAnswered: (key: string) => `Answered, not sent yet. Press ${key} to undo.`,
  announceDeclined: (key: string) => `Declined, not sent yet. Press ${key} to undo.`,
  announceRejected: (key: string) => `Rejected, not sent yet. Press ${key} to undo.`,
  announceSteered: "Added. The agent gets it with its next step.",
  announceUndone: "Taken back.",
  announceTakenBack: "Taken back. The decisions are kept, and not sent.",
  nothingToUndo: "Nothing is staged. What was sent can't be taken back.",
  ...rules,
};

type Widened<Message> = Message extends string
  ? string
  : Message extends (...values: infer Values) => infer Said
    ? (...values: Values) => Widened<Said>
    : { [Name in keyof Message]: Widened<Message[Name]> };

/** What a dictionary holds: each of the English messages, and no other. */
export type Messages = Widened<typeof en>;

/** The messages in the language that is spoken now: read where it is shown, never kept, so that it follows the language at once. */
export const t: Messages = new Proxy(en, {
  get: (english, name) => Reflect.get(speech.dictionary ?? english, name) as unknown,
});
