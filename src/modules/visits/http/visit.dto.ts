import { ApiProperty } from '@nestjs/swagger';
import { type AnalyticsInterval, ANALYTICS_DAYS_MAX } from '../../consent/domain/consent-counts.js';
import { BANNER_OUTCOMES } from '../domain/visit.js';

/** Only for documentation; the endpoint checks it by hand. */
export const VISIT_BODY_SCHEMA = {
  type: 'object',
  properties: {
    banner: {
      type: 'string',
      enum: [...BANNER_OUTCOMES],
      default: 'none',
      description: 'Result of the banner; `none`: not shown',
    },
    region: {
      description: 'Country, optionally with a subdivision; others count as unknown',
      example: 'US-CA',
    },
  },
  example: { banner: 'chosen', region: 'FR' },
};

export class SiteCountsResponse {
  @ApiProperty({ type: 'integer', example: 5120 }) visits!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Visits on which the banner asked for a choice',
    example: 1310,
  })
  shown!: number;
  @ApiProperty({ type: 'integer', example: 1240 }) chosen!: number;
  @ApiProperty({ type: 'integer', description: 'Banner shown, but no choice made', example: 70 })
  ignored!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'chosen / shown',
    example: 0.95,
  })
  interactionRate!: number | null;
}

export class SiteCountsAtResponse extends SiteCountsResponse {
  @ApiProperty({ example: '2026-11-30T00:00:00.000Z' }) at!: Date;
}

export class NamedSiteCountsResponse extends SiteCountsResponse {
  @ApiProperty({ type: String, nullable: true, description: 'null: unknown and all others' })
  name!: string | null;
}

export class SiteAnalyticsResponse {
  @ApiProperty({ description: 'Start of the first interval', example: '2026-11-01T00:00:00.000Z' })
  from!: Date;
  @ApiProperty({
    description: 'End of the hour in which the period ends',
    example: '2026-12-01T00:00:00.000Z',
  })
  to!: Date;
  @ApiProperty({ enum: Object.keys(ANALYTICS_DAYS_MAX), example: 'day' }) interval!: AnalyticsInterval;
  @ApiProperty({ type: SiteCountsResponse }) totals!: SiteCountsResponse;
  @ApiProperty({ type: [SiteCountsAtResponse], description: 'One entry per interval' })
  series!: SiteCountsAtResponse[];
  @ApiProperty({ type: [NamedSiteCountsResponse], description: 'Most frequent first' })
  byHostname!: NamedSiteCountsResponse[];
  @ApiProperty({ type: [NamedSiteCountsResponse], description: 'Countries' })
  byRegion!: NamedSiteCountsResponse[];
  @ApiProperty({ type: [NamedSiteCountsResponse], description: "Visitors' browser languages" })
  byLanguage!: NamedSiteCountsResponse[];
  @ApiProperty({ type: [NamedSiteCountsResponse], description: 'desktop, phone, tablet' })
  byDevice!: NamedSiteCountsResponse[];
}

export class SeenHostResponse {
  @ApiProperty({ example: 'www.example.com' }) hostname!: string;
  @ApiProperty() lastSeenAt!: Date;
}

export class SeenHostsResponse {
  @ApiProperty({ type: [SeenHostResponse], description: 'Most recently seen first' })
  items!: SeenHostResponse[];
}
