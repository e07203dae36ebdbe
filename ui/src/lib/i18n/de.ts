import type { Messages } from "../messages";
import { conversation } from "./de-conversation";
import { history } from "./de-history";
import { inbox } from "./de-inbox";
import { keys } from "./de-keys";
import { notices } from "./de-notices";
import { review } from "./de-review";
import { rules } from "./de-rules";
import { servers } from "./de-servers";
import { settings } from "./de-settings";

/** German, whole: a message that is missing or that English doesn't have doesn't compile. */
export const de: Messages = {
  ...inbox,
  ...review,
  ...notices,
  ...history,
  ...conversation,
  ...settings,
  ...servers,
  ...keys,
  ...rules,
};
