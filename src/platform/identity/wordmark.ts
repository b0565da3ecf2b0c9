/** The product's mark, drawn by the dashboard, the pricing page, and PDFs: a rounded square with a check. */
export const MARK = {
  /** Side of the square. */
  size: 32,
  radius: 8,
  color: '#3d5afe',
  checkColor: '#fff',
  check: 'M9 16.5l5 5 9-11',
  checkWidth: 3.5,
} as const;
