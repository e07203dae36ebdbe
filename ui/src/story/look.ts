import axe from "axe-core";

/** How an element cuts text of its own off without saying so (accept 31); chips state how much they stand for. */
function cut(one: HTMLElement): string[] {
  const has = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== "");
  if (!has || one.closest(".for-readers") !== null || one instanceof HTMLTextAreaElement) return [];
  const style = getComputedStyle(one);
  const hides = (how: string) => how === "hidden" || how === "clip";
  const [wide, high] = [one.scrollWidth > one.clientWidth + 1, one.scrollHeight > one.clientHeight + 3];
  const text = one.textContent.trim().slice(0, 40);
  if (wide && hides(style.overflowX) && one.clientWidth > 0) return [`its text is cut at the side: ${text}`];
  if (high && hides(style.overflowY) && one.clientHeight > 0) return [`its text is cut below: ${text}`];
  return [];
}

/** What is wrong with the stories as a browser lays them out, which tests without a layout can't see. */
export async function look(): Promise<void> {
  const found: string[] = [];
  for (const story of document.querySelectorAll<HTMLElement>("[data-story]")) {
    const name = `${story.dataset.story}, ${story.dataset.act}`;
    const frame = story.querySelector<HTMLElement>(".frame")!;
    if (frame.scrollWidth > frame.clientWidth + 1) {
      const edge = frame.getBoundingClientRect();
      const out = [...frame.querySelectorAll<HTMLElement>("*")].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width > 1 && (box.right > edge.right + 1 || box.left < edge.left - 1);
      });
      const which = out
        .slice(0, 3)
        .map((one) => `${one.tagName}.${one.className.split(" ")[0]} ${one.textContent.trim().slice(0, 24)}`);
      found.push(`${name}: wider than its place by ${frame.scrollWidth - frame.clientWidth}: ${which.join(" | ")}`);
    }
    const box = (id: string) => story.querySelector(`[data-testid="${id}"]`)?.getBoundingClientRect();
    const [reject, approve] = [box("reject"), box("approve")];
    if (name.startsWith("decision bar") && reject && approve) {
      if (Math.abs(reject.top + reject.bottom - approve.top - approve.bottom) > 6)
        found.push(`${name}: Reject and Approve aren't on one line`);
      const first = document.documentElement.dir === "rtl" ? approve.left < reject.left : reject.left < approve.left;
      if (!first) found.push(`${name}: Reject doesn't come before Approve`);
    }
    for (const one of frame.querySelectorAll<HTMLElement>("*")) found.push(...cut(one).map((how) => `${name}: ${how}`));
    for (const button of story.querySelectorAll<HTMLElement>("button")) {
      const { width, height } = button.getBoundingClientRect();
      if (width > 0 && (width < 23.5 || height < 23.5))
        found.push(
          `${name}: a target of ${Math.round(width)} by ${Math.round(height)}: ${button.textContent.trim().slice(0, 40)}`,
        );
    }
  }
  const rules = {
    region: { enabled: false },
    "landmark-unique": { enabled: false },
    "landmark-no-duplicate-main": { enabled: false },
    "duplicate-id": { enabled: false },
    "page-has-heading-one": { enabled: false },
    "landmark-main-is-top-level": { enabled: false },
    "heading-order": { enabled: false },
  };
  const axed = await axe.run(document.body, { rules });
  for (const one of axed.violations)
    for (const node of one.nodes)
      found.push(`${one.id}: ${node.html.slice(0, 160)} ${JSON.stringify(node.any[0]?.data ?? "").slice(0, 200)}`);
  const result = document.createElement("pre");
  result.id = "found";
  result.textContent = JSON.stringify({ stories: document.querySelectorAll("[data-story]").length, found });
  document.body.append(result);
}
