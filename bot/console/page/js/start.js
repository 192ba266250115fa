/** The console's start: its words in the reader's language, then everything that says them. */

async function read() {
  try {
    const answer = await fetch("/words");
    return answer.ok ? await answer.json() : {};
  } catch {
    return {};
  }
}

const isEnglish = (navigator.languages[0] ?? "en").startsWith("en");
if (!isEnglish) globalThis.selfroomWords = await read();
await import("./main.js");
