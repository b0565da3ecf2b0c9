import { ValidateIf } from 'class-validator';

/**
 * The field may be absent; if present, its checks also apply to `null`, which `IsOptional` would
 * allow.
 */
export const IfGiven = (): PropertyDecorator =>
  ValidateIf((_: unknown, value: unknown) => value !== undefined);
