export { changeSettings } from "../lib/change";
