import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { IsInstant } from '../../../platform/http/instant.decorator.js';
import { PageQuery } from '../../../platform/http/page-query.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEvent,
  SECURITY_ACTIONS,
  type SecurityAction,
} from '../domain/audit-event.js';
import { AUTHOR_KINDS, type AuthorKind } from '../domain/author.js';

const ACTOR_ID_CHARACTERS_MAX = 120;

/** Filters of list and export, combined with AND. */
export class AuditFilterQuery {
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Inclusive.' })
  @IsOptional()
  @IsInstant()
  from?: Date;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Exclusive.' })
  @IsOptional()
  @IsInstant()
  to?: Date;

  @ApiPropertyOptional({ enum: AUDIT_ACTIONS })
  @IsOptional()
  @IsIn(AUDIT_ACTIONS)
  action?: AuditAction;

  @ApiPropertyOptional({ enum: AUTHOR_KINDS })
  @IsOptional()
  @IsIn(AUTHOR_KINDS)
  actorKind?: AuthorKind;

  @ApiPropertyOptional({ description: 'Id of a user or an API key' })
  @IsOptional()
  @TextLine({ min: 1, max: ACTOR_ID_CHARACTERS_MAX })
  actorId?: string;
}

export class AuditListQuery extends IntersectionType(PageQuery, AuditFilterQuery) {}

class AuditActorResponse {
  @ApiProperty({ enum: AUTHOR_KINDS }) kind!: AuthorKind;
  @ApiProperty({
    type: String,
    nullable: true,
    description: "Id of the user or API key, or the operator's name",
  })
  id!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Current email of the user or name of the key; null if deleted. Not stored in the log.',
  })
  name!: string | null;
  @ApiProperty({ type: String, nullable: true, description: '/24 or /48 of the address' })
  network!: string | null;
}

export class AuditEventResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'date-time' }) at!: Date;
  @ApiProperty({ enum: AUDIT_ACTIONS }) action!: AuditAction;
  @ApiProperty({ type: AuditActorResponse }) actor!: AuditActorResponse;
  @ApiProperty({ type: String, nullable: true, description: 'null: the whole project' })
  target!: string | null;
  @ApiProperty({
    type: Object,
    nullable: true,
    additionalProperties: true,
    description: 'Changed members before the change, without secrets; null: created.',
  })
  before!: Record<string, unknown> | null;
  @ApiProperty({
    type: Object,
    nullable: true,
    additionalProperties: true,
    description: 'Changed members after the change, without secrets; null: deleted.',
  })
  after!: Record<string, unknown> | null;

  static of(event: AuditEvent, names: ReadonlyMap<string, string>): AuditEventResponse {
    const { id, at, action, target, before, after, actorKind: kind, actorId, network } = event;
    const name = actorId === null ? null : (names.get(actorId) ?? null);
    return { id, at, action, actor: { kind, id: actorId, name, network }, target, before, after };
  }
}

export class AuditPageResponse {
  @ApiProperty({ type: [AuditEventResponse] }) items!: AuditEventResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
  @ApiProperty({ type: Date, nullable: true, description: 'Searched back to this time; null: to the end' })
  searchedTo!: Date | null;
}

export class SecurityEventResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'date-time' }) at!: Date;
  @ApiProperty({ enum: SECURITY_ACTIONS }) action!: SecurityAction;
  @ApiProperty({ type: String, nullable: true, description: '/24 or /48 of the address' })
  network!: string | null;
}

export class SecurityLogPageResponse {
  @ApiProperty({ type: [SecurityEventResponse] }) items!: SecurityEventResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}
