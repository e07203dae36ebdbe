/** Copies the exact text. It goes straight to the clipboard: put into the page, its hidden characters could act there. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Some webviews have no asynchronous clipboard; the event of an ordinary copy carries the text just as well.
    let copied = false;
    const put = (event: ClipboardEvent) => {
      event.clipboardData?.setData("text/plain", text);
      event.preventDefault();
      copied = event.clipboardData !== null;
    };
    document.addEventListener("copy", put, { once: true });
    document.execCommand("copy");
    document.removeEventListener("copy", put);
    return copied;
  }
}
