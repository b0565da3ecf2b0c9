import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsTimeZone, Matches } from 'class-validator';
import { ANALYTICS_DAYS_MAX, type AnalyticsInterval } from '../domain/consent-counts.js';

/** Names of the IANA alone: an offset is none, and PostgreSQL reads it the other way round. */
const TIME_ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;

/** The definitions are in docs/analytics.md. */
export class ConsentRatesView {
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 }) analytics!: number | null;
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 }) marketing!: number | null;
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 }) preferences!: number | null;
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 }) fullAccept!: number | null;
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 }) rejection!: number | null;
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 }) withdrawal!: number | null;
}

export class ConsentCountsView {
  @ApiProperty({ type: 'integer' }) records!: number;
  @ApiProperty({ type: 'integer' }) analytics!: number;
  @ApiProperty({ type: 'integer' }) marketing!: number;
  @ApiProperty({ type: 'integer' }) preferences!: number;
  @ApiProperty({ type: 'integer' }) fullAccept!: number;
  @ApiProperty({ type: 'integer' }) rejection!: number;
  @ApiProperty({ type: 'integer' }) withdrawal!: number;
  @ApiProperty({ type: ConsentRatesView, description: 'Shares of `records`; null where there are none' })
  rates!: ConsentRatesView;
}

export class ConsentCountsAtView extends ConsentCountsView {
  @ApiProperty() at!: Date;
}

export class ConsentCountsOfActionView extends ConsentCountsView {
  @ApiProperty() action!: string;
}

export class ConsentCountsOfHostnameView extends ConsentCountsView {
  @ApiProperty({ type: String, nullable: true, description: 'null: records that tell none' })
  hostname!: string | null;
}

const AUDIENCE_UNKNOWN = 'null: records that tell none, or that were gone before they were counted by it';

export class ConsentCountsOfRegionView extends ConsentCountsView {
  @ApiProperty({
    ...{ type: String, nullable: true, example: 'US-CA' },
    description: `ISO 3166-1, with its part of ISO 3166-2 where that was told; ${AUDIENCE_UNKNOWN}`,
  })
  region!: string | null;
}

export class ConsentCountsOfLanguageView extends ConsentCountsView {
  @ApiProperty({
    ...{ type: String, nullable: true, example: 'pt-BR' },
    description: `A tag of BCP 47; ${AUDIENCE_UNKNOWN}`,
  })
  language!: string | null;
}

export class ConsentAnalyticsView {
  @ApiProperty() from!: Date;
  @ApiProperty() to!: Date;
  @ApiProperty({ enum: Object.keys(ANALYTICS_DAYS_MAX) }) interval!: AnalyticsInterval;
  @ApiProperty({ type: ConsentCountsView }) totals!: ConsentCountsView;
  @ApiProperty({ type: [ConsentCountsAtView], description: 'One entry for each interval' })
  series!: ConsentCountsAtView[];
  @ApiProperty({ type: [ConsentCountsOfActionView], description: 'The most frequent first' })
  byAction!: ConsentCountsOfActionView[];
  @ApiProperty({ type: ConsentCountsView, description: 'All other actions together' })
  otherActions!: ConsentCountsView;
  @ApiProperty({ type: [ConsentCountsOfHostnameView], description: 'The most frequent first' })
  byHostname!: ConsentCountsOfHostnameView[];
  @ApiProperty({ type: ConsentCountsView, description: 'All other hostnames together' })
  otherHostnames!: ConsentCountsView;
  @ApiProperty({ type: [ConsentCountsOfRegionView], description: 'The most frequent first' })
  byRegion!: ConsentCountsOfRegionView[];
  @ApiProperty({ type: ConsentCountsView, description: 'All other regions together' })
  otherRegions!: ConsentCountsView;
  @ApiProperty({ type: [ConsentCountsOfLanguageView], description: 'The most frequent first' })
  byLanguage!: ConsentCountsOfLanguageView[];
  @ApiProperty({ type: ConsentCountsView, description: 'All other languages together' })
  otherLanguages!: ConsentCountsView;
}

export class OverviewQuery {
  @ApiPropertyOptional({
    default: 'UTC',
    example: 'Europe/Berlin',
    description: 'Where a day begins: an IANA name',
  })
  @IsOptional()
  @Matches(TIME_ZONE, { message: 'timeZone must be the IANA name of a time zone, such as Europe/Berlin.' })
  @IsTimeZone({ message: 'timeZone must be the IANA name of a time zone, such as Europe/Berlin.' })
  timeZone: string = 'UTC';
}

export class PeriodRecordsView {
  @ApiProperty() from!: Date;
  @ApiProperty() to!: Date;
  @ApiProperty({ type: 'integer' }) records!: number;
  @ApiProperty({
    ...{ type: Number, nullable: true, minimum: 0, maximum: 1 },
    description: 'Share of the records that grant at least one category; null where there are none',
  })
  optInRate!: number | null;
}

export class PeriodComparisonView {
  @ApiProperty({ type: PeriodRecordsView }) now!: PeriodRecordsView;
  @ApiProperty({ type: PeriodRecordsView, description: 'As much of the one before, to the full hour' })
  before!: PeriodRecordsView;
}

export class ConsentOverviewView {
  @ApiProperty({ type: PeriodComparisonView }) today!: PeriodComparisonView;
  @ApiProperty({ type: PeriodComparisonView }) month!: PeriodComparisonView;
}
