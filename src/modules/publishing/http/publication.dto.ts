import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { AUTHOR_KINDS, type AuthorKind } from '../../audit/domain/author.js';
import { IsInstant } from '../../http/instant.decorator.js';
import type { Publication } from '../domain/publication.js';
import type { ConfigurationChange } from '../domain/configuration-changes.js';

/** Today's names of users and API keys, by their ids. */
export type AuthorNames = ReadonlyMap<string, string>;

class PublicationAuthorDto {
  @ApiProperty({ enum: AUTHOR_KINDS }) kind!: AuthorKind;
  @ApiProperty({ type: String, nullable: true }) id!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Current email of the user or name of the key; null if deleted',
  })
  name!: string | null;
}

export class PublicationDto {
  @ApiProperty({ description: 'Number of the publication within the project' }) version!: number;
  @ApiProperty({ description: 'Number of the published save; 0: the default' }) configurationVersion!: number;
  @ApiProperty({ example: 'pro' }) tier!: string;
  @ApiProperty({ description: 'Name of the immutable object' }) configHash!: string;
  @ApiProperty({ description: 'Region rules were left out because the tier does not include them' })
  regionRulesLeftOut!: boolean;
  @ApiProperty({ description: 'Time of the last write to storage' }) at!: Date;
  @ApiProperty({ description: 'Live since, until the next publication' }) inForceFrom!: Date;
  @ApiProperty({ type: String, nullable: true }) comment!: string | null;
  @ApiProperty({
    type: PublicationAuthorDto,
    nullable: true,
    description: 'null: a change of tier or domains, or published before authors were recorded',
  })
  author!: PublicationAuthorDto | null;

  static of(publication: Publication, names: AuthorNames): PublicationDto {
    const { authorKind, authorId, ...rest } = publication;
    const kind = authorKind as AuthorKind | null;
    const name = authorId === null ? null : (names.get(authorId) ?? null);
    return { ...rest, author: kind && { kind, id: authorId, name } };
  }
}

/** Whose names are needed to show these. */
export function authorsOf(publications: Publication[]): { userIds: string[]; apiKeyIds: string[] } {
  const idsOf = (kind: AuthorKind): string[] => [
    ...new Set(publications.flatMap(({ authorKind, authorId }) => (authorKind === kind && authorId) || [])),
  ];
  return { userIds: idsOf('user'), apiKeyIds: idsOf('api_key') };
}

export class PublicationPageDto {
  @ApiProperty({ type: [PublicationDto] }) items!: PublicationDto[];
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

export class ConfigurationChangeDto implements ConfigurationChange {
  @ApiProperty({
    type: [String],
    example: ['texts', 'de', 'title'],
    description: 'Path of the member, with the language, category, service, or cookie of list items',
  })
  path!: string[];
  @ApiProperty({ enum: ['added', 'removed', 'changed'] }) kind!: ConfigurationChange['kind'];
  @ApiProperty({ type: String, nullable: true, description: 'Text as is, all other values as JSON' })
  before!: string | null;
  @ApiProperty({ type: String, nullable: true }) after!: string | null;
}

export class ConfigurationChangesDto {
  @ApiProperty({ type: [ConfigurationChangeDto], description: 'Empty: only the tier or the domains changed' })
  items!: ConfigurationChangeDto[];
}

/** A document as visitors are shown it (docs/publishing.md). */
export class SiteDocumentDto {
  @ApiProperty({ type: Object, additionalProperties: true }) document!: object;
}
