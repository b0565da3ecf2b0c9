import { ValidateIf } from 'class-validator';

/** The field may be absent; if it is there, its checks hold for `null` too, which `IsOptional` would let pass. */
export const IfGiven = (): PropertyDecorator =>
  ValidateIf((_: unknown, value: unknown) => value !== undefined);
