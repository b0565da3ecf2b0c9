import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { AUTHOR_KINDS, type AuthorKind } from '../../audit/domain/author.js';
import { IsInstant } from '../../../platform/http/instant.decorator.js';
import type { Publication } from '../domain/configuration.js';
import type { ConfigurationChange } from '../domain/configuration-changes.js';
import type { SiteDocument } from '../domain/document.js';

/** Today's names of users and API keys, by their ids. */
export type AuthorNames = ReadonlyMap<string, string>;

class PublicationAuthorResponse {
  @ApiProperty({ enum: AUTHOR_KINDS }) kind!: AuthorKind;
  @ApiProperty({ type: String, nullable: true }) id!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Current email of the user or name of the key; null if deleted',
  })
  name!: string | null;
}

export class PublicationResponse {
  @ApiProperty({ description: 'Number of the publication within the project', example: 7 }) version!: number;
  @ApiProperty({ description: 'Number of the published save; 0: the default', example: 4 })
  configurationVersion!: number;
  @ApiProperty({ example: 'pro' }) tier!: string;
  @ApiProperty({
    description: 'Name of the immutable object',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  configHash!: string;
  @ApiProperty({
    description: 'Region rules were left out because the tier does not include them',
    example: false,
  })
  regionRulesLeftOut!: boolean;
  @ApiProperty({ description: 'Time of the last write to storage' }) at!: Date;
  @ApiProperty({ description: 'Live since, until the next publication' }) inForceFrom!: Date;
  @ApiProperty({ type: String, nullable: true }) comment!: string | null;
  @ApiProperty({
    type: PublicationAuthorResponse,
    nullable: true,
    description: 'null: a change of tier or domains, or published before authors were recorded',
  })
  author!: PublicationAuthorResponse | null;

  static of(publication: Publication, names: AuthorNames): PublicationResponse {
    const { authorKind, authorId, ...rest } = publication;
    const kind = authorKind as AuthorKind | null;
    const name = authorId === null ? null : (names.get(authorId) ?? null);
    return { ...rest, author: kind && { kind, id: authorId, name } };
  }
}

export class CurrentPublicationResponse extends PublicationResponse {
  @ApiProperty({
    description:
      'When its configuration was first published: a change of tier, for example, publishes it again',
  })
  liveSince!: Date;
}

/** The authors whose names are needed for these publications. */
export function authorsOf(publications: Publication[]): { userIds: string[]; apiKeyIds: string[] } {
  const idsOf = (kind: AuthorKind): string[] => [
    ...new Set(publications.flatMap(({ authorKind, authorId }) => (authorKind === kind && authorId) || [])),
  ];
  return { userIds: idsOf('user'), apiKeyIds: idsOf('api_key') };
}

export class PublicationPageResponse {
  @ApiProperty({ type: [PublicationResponse] }) items!: PublicationResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

export class InForceQuery {
  @ApiProperty({ type: String, format: 'date-time' })
  @IsInstant()
  at!: Date;
}

export class ChangesQuery {
  @ApiPropertyOptional({ description: 'Publication to compare with; defaults to the previous one' })
  @IsOptional()
  @Matches(/^\d{1,15}$/, { message: 'since must be the version of a publication.' })
  since?: string;
}

export class ConfigurationChangeResponse implements ConfigurationChange {
  @ApiProperty({
    type: [String],
    example: ['texts', 'de', 'title'],
    description: 'Path of the member, with the language, category, service, or cookie of list items',
  })
  path!: string[];
  @ApiProperty({ enum: ['added', 'removed', 'changed'] }) kind!: ConfigurationChange['kind'];
  @ApiProperty({ type: String, nullable: true, description: 'Text as is, all other values as JSON' })
  before!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Ihre Privatsphäre' }) after!: string | null;
}

export class ConfigurationChangesResponse {
  @ApiProperty({
    type: [ConfigurationChangeResponse],
    description: 'Empty: only the tier or the domains changed',
  })
  items!: ConfigurationChangeResponse[];
}

/** Of a published configuration, shortened. */
export const SITE_DOCUMENT_EXAMPLE = {
  schemaVersion: 1,
  projectId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f',
  tier: 'pro',
  policyVersion: '2026-12',
  policyUrl: 'https://shop.example/privacy',
  defaultLanguage: 'en',
  categories: ['analytics', 'marketing', 'preferences'],
  defaultMode: 'opt_in',
  regionRules: [],
  honorGlobalPrivacyControl: true,
  bannerScript: 'banner-5f2c9a1e0b7d4c36.js',
  consentUrl: '/v1/projects/01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f/consents',
  visitsUrl: null,
  region: 'DE',
  isEu: true,
  configHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
} satisfies Partial<SiteDocument>;

/** A document as visitors are shown it (docs/publishing.md). */
export class SiteDocumentResponse {
  @ApiProperty({
    type: Object,
    additionalProperties: true,
    example: SITE_DOCUMENT_EXAMPLE,
  })
  document!: object;
}
