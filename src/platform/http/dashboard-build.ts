import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the built dashboard; the same for compiled files and, in tests, for sources. */
export const DASHBOARD_FOLDER = join(import.meta.dirname, '..', '..', '..', 'dist', 'dashboard');
const ASSETS_FOLDER = join(DASHBOARD_FOLDER, 'assets');

/**
 * The address of a built file, whose name contains the hash of its content: `findAsset('icon',
 * '.svg')`. null: the dashboard is not built.
 */
export function findAsset(name: string, extension: string): string | null {
  if (!existsSync(ASSETS_FOLDER)) return null;
  const file = readdirSync(ASSETS_FOLDER).find(
    (each) => each.startsWith(`${name}-`) && each.endsWith(extension),
  );
  return file === undefined ? null : `/assets/${file}`;
}
