/** What a page says in its reader's language: catalogues by the English, which stands where there is none.
 *
 * Where they come from the page itself says (`data-words` of its root); modules that say something wait for them.
 */

const source = document.documentElement.dataset.words;
const isEnglish = (navigator.languages[0] ?? "en").startsWith("en");
const { language: said = "en", words = {} } = source && !isEnglish ? await read() : {};

/** In which language. */
export const language = said;
const MANY = { fr: (number) => number > 1, pt_BR: (number) => number > 1, ja: () => false };

async function read() {
  try {
    const answer = await fetch(source);
    return answer.ok ? await answer.json() : {};
  } catch {
    return {};
  }
}

/** Say something in the reader's language; values stand in it as `{name}`. */
export function t(english, values = {}) {
  return (words[english] ?? english).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** A word that is said later. */
export const word = (english) => english;

/** A number of things: 1 agent, 2 agents. */
export function counted(number, what) {
  const isMany = (MANY[language] ?? ((many) => many !== 1))(number);
  const forms = words[`{number} ${what}`] ?? [`{number} ${what}`, `{number} ${what}s`];
  return (isMany ? forms[1] : forms[0]).replace("{number}", number.toLocaleString());
}
