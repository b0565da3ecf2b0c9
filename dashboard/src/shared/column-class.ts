/** The class of a column's cells. */
export function columnClass({ numeric, flexible }: { numeric?: boolean; flexible?: boolean }): string {
  if (numeric) return 'number';
  return flexible ? 'flexible' : '';
}
