import { styleText } from 'node:util';

/** How commands end; named in docs/cli.md. */
export const EXIT = { done: 0, failed: 1, found: 2 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** Something that a person can correct; printed without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

type Style = Parameters<typeof styleText>[0];

/** Styled on a terminal; plain in a pipe and with `NO_COLOR`. */
export const styled = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout });

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Progress and warnings, so that the output stays the result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Columns as wide as their longest cell; a header without rows becomes a sentence. Control characters of values from elsewhere are left out. */
export function printTable(rows: readonly (readonly string[])[]): void {
  if (rows.length === 1) return print('There are none.');
  const clean = rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, ' ')));
  const widths = (clean[0] ?? []).map((_, column) =>
    Math.max(...clean.map((row) => row[column]?.length ?? 0)),
  );
  for (const [index, row] of clean.entries()) {
    const line = row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
    print(index === 0 ? styled('bold', line) : line);
  }
}
