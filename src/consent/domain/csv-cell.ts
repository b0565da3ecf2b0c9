/** What a spreadsheet takes for the begin of a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;

/**
 * Makes a text harmless for spreadsheets, which run cells that begin with = + - @ tab or CR as formulas: an
 * apostrophe in front shows the text as it is. Other texts stay as they are.
 */
export function neutraliseCell(text: string): string {
  return FORMULA_START.test(text) ? `'${text}` : text;
}
