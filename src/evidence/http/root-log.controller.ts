import { Controller, Get, Header, Logger, Param, Res } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../access/access.decorators.js';
import { orUnavailable } from '../../shared/or-unavailable.js';
import { LogReader } from '../application/log-reader.js';
import { PublishedKeys } from '../application/published-keys.js';
import { ROOT_LOG } from '../domain/log.js';

const TEXT_TYPE = 'text/plain; charset=utf-8';
const TILE_TYPE = 'application/octet-stream';
/** Keys are rotated with days of notice, checkpoints come once a minute, and a tile stays what it is. */
const KEYS_CACHED = 'public, max-age=300';
const CHECKPOINT_CACHED = 'public, max-age=5';
const TILE_CACHED = 'public, max-age=31536000, immutable';

/** What anybody may read: the keys that sign, and the log of all projects' checkpoints. */
@ApiTags('Evidence')
@Controller()
export class RootLogController {
  private readonly logger = new Logger(RootLogController.name);

  constructor(
    private readonly logs: LogReader,
    private readonly keys: PublishedKeys,
  ) {}

  /** One verifier key of C2SP signed-note a line; `#` begins a comment. */
  @Get('.well-known/consent-log-keys')
  @Public()
  @Header('Content-Type', TEXT_TYPE)
  @Header('Cache-Control', KEYS_CACHED)
  @Header('Access-Control-Allow-Origin', '*')
  @ApiOperation({ summary: 'Read the keys that sign the logs' })
  @ApiOkResponse({ description: 'One key a line', content: { 'text/plain': { schema: { type: 'string' } } } })
  publishedKeys(): Promise<string> {
    return this.keys.text();
  }

  @Get('log/checkpoint')
  @Public()
  @Header('Content-Type', TEXT_TYPE)
  @Header('Cache-Control', CHECKPOINT_CACHED)
  @Header('Access-Control-Allow-Origin', '*')
  @ApiOperation({ summary: 'Read the signed checkpoint of the log of all projects' })
  @ApiOkResponse({
    description: 'A C2SP signed note',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  @ApiNotFoundResponse({ description: 'log_empty: nothing has been sealed yet' })
  checkpoint(): Promise<string> {
    return this.logs.checkpoint(ROOT_LOG);
  }

  @Get('log/tile/*path')
  @Public()
  @ApiOperation({ summary: 'Read a tile of the log of all projects' })
  @ApiParam({ name: 'path', example: '0/000.p/5' })
  @ApiOkResponse({
    description: 'Hashes, or entries, one behind the other',
    content: { [TILE_TYPE]: { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiNotFoundResponse({ description: 'tile_not_found' })
  async tile(@Param('path') path: string | string[], @Res() response: Response): Promise<void> {
    const bytes = await orUnavailable(this.logger, 'The log', () =>
      this.logs.tile(ROOT_LOG, [path].flat().join('/')),
    );
    response
      .set({ 'Cache-Control': TILE_CACHED, 'Access-Control-Allow-Origin': '*' })
      .type(TILE_TYPE)
      .send(bytes);
  }
}
