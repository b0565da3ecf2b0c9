import type { FieldsProps } from './field-props';

/** The API's error about a row of the region rules. */
export function rowError(fields: FieldsProps['fields'], index: number | null): string | undefined {
  const isOfRow = (name: string): boolean =>
    index === null ? name.startsWith('default') : name.startsWith(`regionRules.${index}.`);
  return Object.entries(fields).find(([name]) => isOfRow(name) && name !== 'defaultLanguage')?.[1];
}
