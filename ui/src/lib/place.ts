/** Which of the app's windows this is, as its address says. */
export type Place = { is: "main" } | { is: "panel" } | { is: "request"; request: string };

export function placeOf(hash: string): Place {
  const [kind, part] = hash.replace(/^#\/?/, "").split("/");
  if (kind === "panel") return { is: "panel" };
  if (kind === "request" && part) return { is: "request", request: decodeURIComponent(part) };
  return { is: "main" };
}
