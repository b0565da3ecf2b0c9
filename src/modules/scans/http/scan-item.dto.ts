import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { QueryInteger } from '../../../platform/http/integer.decorator.js';
import { PageQuery } from '../../../platform/http/page-query.js';
import { ITEM_GROUPS, ITEM_KINDS, type ItemGroup, type ItemKind } from '../domain/scan.js';
import { PAGES_KNOWN_MAX } from '../domain/scan-limits.js';
import { SCAN_STATES, type ScanState } from '../domain/scan-state.js';
import type { ScanItemView } from '../domain/scan-view.js';

export class ScanItemsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: ITEM_GROUPS, description: 'Items of one kind; all storages are one' })
  @IsOptional()
  @IsIn(ITEM_GROUPS)
  group?: ItemGroup;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: PAGES_KNOWN_MAX,
    description: 'Items of one page, by its number',
  })
  @IsOptional()
  @QueryInteger({ min: 1, max: PAGES_KNOWN_MAX })
  page?: number;

  @ApiPropertyOptional({ enum: SCAN_STATES, description: 'Items of one consent state' })
  @IsOptional()
  @IsIn(SCAN_STATES)
  state?: ScanState;
}

export class ScanItemResponse {
  @ApiProperty({ enum: SCAN_STATES, description: 'Consent state in which it was seen' }) state!: ScanState;
  @ApiProperty({ type: 'integer', description: 'Number of the page', example: 1 }) page!: number;
  @ApiProperty({ type: 'integer', description: 'Unique within the state and page', example: 1 })
  number!: number;
  @ApiProperty({ enum: ITEM_KINDS }) kind!: ItemKind;
  @ApiProperty({
    description:
      'Name of the cookie, entry, database, call or event; path of the request with the names of its query',
    example: '_ga',
  })
  name!: string;
  @ApiProperty({
    description: "Of the cookie's domain, the entry's origin, or the request",
    example: 'shop.example',
  })
  host!: string;
  @ApiProperty({ description: 'Whether it belongs to another site than the page', example: false })
  thirdParty!: boolean;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Characters of the value' })
  valueLength!: number | null;
  @ApiProperty({ type: String, nullable: true, description: "First digits of the value's SHA-256" })
  valueHash!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Path of the cookie' }) path!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'ISO 8601; null: a session cookie' })
  expiresAt!: string | null;
  @ApiProperty({ type: Boolean, nullable: true }) httpOnly!: boolean | null;
  @ApiProperty({ type: Boolean, nullable: true }) secure!: boolean | null;
  @ApiProperty({ type: String, nullable: true, example: 'Lax' }) sameSite!: string | null;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Whether the cookie is partitioned by site' })
  partitioned!: boolean | null;
  @ApiProperty({ type: String, nullable: true, description: '`response`, `script`; null: not on this page' })
  setBy!: string | null;
  @ApiProperty({ description: 'Whether it was set on this page, and gone at its end', example: false })
  removed!: boolean;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether a request of the page sent the cookie',
  })
  sent!: boolean | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the browser did not store the cookie; null: it was stored',
  })
  blocked!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'GET' }) method!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'image',
    description:
      'Of a request; of a fingerprinting call its technique: `canvas`, `audio`, `webrtc`, `webgl` or `client_hints`',
  })
  type!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Script, response or frame that caused it' })
  initiator!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: "Bytes of the request's body; null: none" })
  bodyBytes!: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) httpStatus!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Equal requests of the page' })
  count!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Place among the consent events of the page' })
  order!: number | null;
  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: { type: 'string', enum: ['granted', 'denied'] },
    description: 'What a consent event says of each consent type',
  })
  consent!: Record<string, 'granted' | 'denied'> | null;

  static of({ details, ...item }: ScanItemView): ScanItemResponse {
    const {
      valueLength = null,
      valueHash = null,
      path = null,
      expiresAt = null,
      httpOnly = null,
      secure = null,
      sameSite = null,
      partitioned = null,
      setBy = null,
      removed = false,
      sent = null,
      blocked = null,
      method = null,
      type = null,
      initiator = null,
      bodyBytes = null,
      httpStatus = null,
      count = null,
      order = null,
      consent = null,
    } = details;
    return {
      ...item,
      valueLength,
      valueHash,
      path,
      expiresAt,
      httpOnly,
      secure,
      sameSite,
      partitioned,
      setBy,
      removed,
      sent,
      blocked,
      method,
      type,
      initiator,
      bodyBytes,
      httpStatus,
      count,
      order,
      consent,
    };
  }
}

export class ScanItemPageResponse {
  @ApiProperty({ type: [ScanItemResponse] }) items!: ScanItemResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}
