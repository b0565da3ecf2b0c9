import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { fieldErrors } from '../errors/domain-error.js';
import { IsInstant } from './instant.decorator.js';

const DEFAULT_PERIOD_MS = 30 * 24 * 60 * 60 * 1000;
const INTERVALS = ['hour', 'day'] as const;
type Interval = (typeof INTERVALS)[number];

/** A period to count. */
export class PeriodQuery {
  @ApiPropertyOptional({ description: 'At or after; defaults to 30 days before `to`' })
  @IsOptional()
  @IsInstant()
  from?: Date;

  @ApiPropertyOptional({ description: 'Before; defaults to now' })
  @IsOptional()
  @IsInstant()
  to?: Date;

  @ApiPropertyOptional({ enum: INTERVALS, default: 'day', description: 'In UTC' })
  @IsOptional()
  @IsIn(INTERVALS, { message: `interval must be one of ${INTERVALS.join(', ')}.` })
  interval: Interval = 'day';
}

interface PeriodRules {
  now: Date;
  daysMax: Record<Interval, number>;
  isAllowed(from: Date, to: Date, interval: Interval): boolean;
}

/** The requested period. @throws DomainError `validation_failed`. */
export function parsePeriod(
  query: PeriodQuery,
  { now, daysMax, isAllowed }: PeriodRules,
): { from: Date; to: Date; interval: Interval } {
  const { interval, to = now } = query;
  const from = query.from ?? new Date(to.getTime() - DEFAULT_PERIOD_MS);
  if (from >= to)
    throw fieldErrors([{ field: 'from', message: 'from must be before to.', code: 'end_before_beginning' }]);
  if (!isAllowed(from, to, interval)) {
    const message = `With the interval ${interval}, the period can be at most ${daysMax[interval]} days.`;
    throw fieldErrors([{ field: 'from', message, code: 'period_too_long', max: daysMax[interval] }]);
  }
  return { from, to, interval };
}
