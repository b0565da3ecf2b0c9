import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { AUTHOR_KINDS, type AuthorKind } from '../../audit/domain/author.js';
import { IsInstant } from '../../shared/instant.js';
import type { Publication } from '../application/publication-log.js';
import type { ConfigurationChange } from '../domain/configuration-changes.js';

/** Today's names of users and API keys, by their ids. */
export type AuthorNames = ReadonlyMap<string, string>;

class PublicationAuthorDto {
  @ApiProperty({ enum: AUTHOR_KINDS }) kind!: AuthorKind;
  @ApiProperty({ type: String, nullable: true }) id!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Today’s e-mail of the user or name of the key; null where it is gone',
  })
  name!: string | null;
}

export class PublicationDto {
  @ApiProperty({ description: 'Counts the publications of the project' }) version!: number;
  @ApiProperty({ description: 'The save that was published; 0: the default' }) configurationVersion!: number;
  @ApiProperty({ example: 'pro' }) tier!: string;
  @ApiProperty({ description: 'Names the immutable object' }) configHash!: string;
  @ApiProperty({ description: 'Region rules were saved that the tier does not allow' })
  regionRulesLeftOut!: boolean;
  @ApiProperty({ description: 'When it was last written to storage' }) at!: Date;
  @ApiProperty({ description: 'Since when visitors were shown it, until the next one' }) inForceFrom!: Date;
  @ApiProperty({ type: String, nullable: true }) comment!: string | null;
  @ApiProperty({
    type: PublicationAuthorDto,
    nullable: true,
    description:
      'null: nobody; the tier or the domains have changed, or it is older than the memory of authors',
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
  @ApiPropertyOptional({ description: 'The publication to compare with; absent: the one before' })
  @IsOptional()
  @Matches(/^\d{1,15}$/, { message: 'since must be the version of a publication.' })
  since?: string;
}

export class ConfigurationChangeDto implements ConfigurationChange {
  @ApiProperty({
    type: [String],
    example: ['texts', 'de', 'title'],
    description: 'Members, and of lists the language, category, service or cookie',
  })
  path!: string[];
  @ApiProperty({ enum: ['added', 'removed', 'changed'] }) kind!: ConfigurationChange['kind'];
  @ApiProperty({ type: String, nullable: true, description: 'Text as it is, everything else as JSON' })
  before!: string | null;
  @ApiProperty({ type: String, nullable: true }) after!: string | null;
}

export class ConfigurationChangesDto {
  @ApiProperty({ type: [ConfigurationChangeDto], description: 'Empty: tier or domains alone have changed' })
  items!: ConfigurationChangeDto[];
}

/** A document as visitors are shown it (docs/publishing.md). */
export class SiteDocumentDto {
  @ApiProperty({ type: Object, additionalProperties: true }) document!: object;
}
