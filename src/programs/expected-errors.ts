import { OperatorError } from '../platform/operations/operator-command.js';
import { SettingsError } from '../platform/settings/declare-settings.js';
import { DataFolderTakenError } from '../standalone/data-folder-lock.js';
import { EmbeddedPostgresError } from '../standalone/server-user.js';

/** A start that cannot succeed, reported as a sentence instead of a stack. */
export class StartError extends Error {}

const EXPECTED = [StartError, SettingsError, DataFolderTakenError, EmbeddedPostgresError, OperatorError];

/** The output for an error that ends a program: the sentence of an expected one, else the stack. */
export function endingMessage(error: unknown): string {
  if (EXPECTED.some((kind) => error instanceof kind)) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
