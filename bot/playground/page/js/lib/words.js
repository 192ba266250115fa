/** What a page says in its reader's language: by the English, which stands where a catalogue has nothing.
 *
 * The catalogue is there before any module that says something (`selfroomWords`), on pages that have one.
 */

const { language: said = "en", words = {} } = globalThis.selfroomWords ?? {};
const MANY = { fr: (number) => number > 1, pt_BR: (number) => number > 1, ja: () => false };

/** In which language. */
export const language = said;

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
