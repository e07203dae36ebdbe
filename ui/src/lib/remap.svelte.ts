/** What the person and the system make of the keys. The window sets it from the settings; whoever looks up or draws a key reads it. */
class Remapped {
  /** Keys of actions that the person changed, by the action's name. */
  keys = $state.raw<Record<string, string[] | undefined>>({});
  /** Whether keys without Mod act. */
  single = $state(true);
  system = $state("linux");
}

export const remapped = new Remapped();
