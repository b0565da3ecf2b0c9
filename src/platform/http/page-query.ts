import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { isUuid } from '../identity/ids.js';
import { QueryInteger } from './integer.decorator.js';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, readCursor } from '../export/page.js';

export const CURSOR_CHARACTERS_MAX = 200;

/** The query of every list: page size and cursor. */
export class PageQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT })
  @IsOptional()
  @QueryInteger({ min: 1, max: PAGE_LIMIT_MAX })
  limit: number = PAGE_LIMIT_DEFAULT;

  @ApiPropertyOptional({ description: 'nextCursor of the previous page' })
  @IsOptional()
  @IsString()
  @MaxLength(CURSOR_CHARACTERS_MAX)
  cursor?: string;
}

/** What to read for a page of rows ordered by a UUID: one extra row shows whether there is a next page. */
export function rowsOf(query: Pick<PageQuery, 'limit' | 'cursor'>): { after: string | null; limit: number } {
  return { after: readCursor(query.cursor, isUuid), limit: query.limit + 1 };
}
