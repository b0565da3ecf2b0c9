/**
 * Characters that are not visible: controls, format characters such as U+202E (which reorders the text after
 * it), and line and paragraph separators. Joiners after other than ASCII belong to scripts and emoji.
 */
const HIDDEN = /(?<![^\p{ASCII}])[\u200C\u200D]|(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of others, such as a cookie's name, with the code of each hidden character in its place: `[U+202E]`. */
export function showHidden(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}
