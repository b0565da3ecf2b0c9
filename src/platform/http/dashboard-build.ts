import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where the build puts the dashboard; the same whether this file runs compiled or, in tests, as it is. */
export const DASHBOARD_FOLDER = join(import.meta.dirname, '..', '..', 'dist', 'dashboard');
const ASSETS_FOLDER = join(DASHBOARD_FOLDER, 'assets');

/**
 * The address of a built file, whose name contains the hash of its content: `findAsset('icon', '.svg')`.
 * null where the dashboard is not built.
 */
export function findAsset(name: string, extension: string): string | null {
  if (!existsSync(ASSETS_FOLDER)) return null;
  const file = readdirSync(ASSETS_FOLDER).find(
    (each) => each.startsWith(`${name}-`) && each.endsWith(extension),
  );
  return file === undefined ? null : `/assets/${file}`;
}
