import { DataFolderTakenError } from '../standalone/infrastructure/data-folder-lock.js';
import { EmbeddedPostgresError } from '../standalone/infrastructure/embedded-postgres-error.js';
import { SettingsError } from '../settings/declare-settings.js';
import { OperatorError } from '../shared/operator-command.js';
import { StartError } from './start-error.js';

const EXPECTED = [StartError, SettingsError, DataFolderTakenError, EmbeddedPostgresError, OperatorError];

/** What a program prints for an error that ends it: the sentence of an expected one, else the stack. */
export function sentenceOf(error: unknown): string {
  if (EXPECTED.some((kind) => error instanceof kind)) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
