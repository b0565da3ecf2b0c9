import { applyDecorators, Controller, Get, Header, Logger, Param, Query, Res } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiAnyOrigin, ApiResponseHeaders } from '../../../platform/openapi/api-description.js';
import type { Response } from 'express';
import { Public } from '../../../platform/http/public.decorator.js';
import { orUnavailable } from '../../../platform/storage/object-storage.js';
import { LogReader, PublishedKeys } from '../application/log-reader.js';
import { Timestamps } from '../application/root-timestamper.js';
import { ROOT_LOG } from '../domain/log.js';
import {
  ApiBytesResponse,
  ApiTextResponse,
  ConsistencyQuery,
  EpochQuery,
  hashLines,
  NewestQuery,
  NewestTimeStampResponse,
  TILE_TYPE,
} from './log.dto.js';

const TEXT_TYPE = 'text/plain; charset=utf-8';
/** Keys are rotated with days of notice, and checkpoints appear once a minute. */
const KEYS_CACHED = 'public, max-age=300';
const CHECKPOINT_CACHED = 'public, max-age=5';
/** A public text, which pages of any origin may read. */
const PublicText = (cacheControl: string): MethodDecorator =>
  applyDecorators(
    Public(),
    Header('Content-Type', TEXT_TYPE),
    Header('Cache-Control', cacheControl),
    Header('Access-Control-Allow-Origin', '*'),
  );
const IMMUTABLE = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Access-Control-Allow-Origin': '*',
};
const TIMESTAMP_TYPE = 'application/timestamp-reply';
const SIZE = { name: 'size', schema: { type: 'integer', minimum: 1 } as const, example: 5 };

/** Public: the keys that sign, and the root log. */
@ApiTags('Evidence')
@ApiAnyOrigin()
@Controller()
export class RootLogController {
  private readonly logger = new Logger(RootLogController.name);

  constructor(
    private readonly logs: LogReader,
    private readonly keys: PublishedKeys,
    private readonly timestamps: Timestamps,
  ) {}

  /** One verifier key (C2SP signed-note) per line; `#` starts a comment. */
  @Get('.well-known/consent-log-keys')
  @PublicText(KEYS_CACHED)
  @ApiOperation({ summary: 'Read the keys that sign the logs' })
  @ApiTextResponse('One key per line')
  publishedKeys(): Promise<string> {
    return this.keys.text();
  }

  @Get('log/checkpoint')
  @PublicText(CHECKPOINT_CACHED)
  @ApiResponseHeaders('Content-Disposition')
  @ApiOperation({ summary: 'Read the signed checkpoint of the public root log' })
  @ApiTextResponse('C2SP signed note')
  @ApiNotFoundResponse({ description: 'log_empty: the log has no entries yet' })
  checkpoint(@Query() { epoch }: NewestQuery): Promise<string> {
    return this.logs.checkpoint(ROOT_LOG, epoch);
  }

  /** For `verify/verify.cjs continues`. */
  @Get('log/continues')
  @PublicText(CHECKPOINT_CACHED)
  @ApiResponseHeaders('Content-Disposition')
  @ApiOperation({ summary: 'Read which log the public root log continues, and why' })
  @ApiTextResponse('c2sp.org/tlog-proof@v1 of the first entry, with the signed statement as its extra data')
  @ApiNotFoundResponse({ description: 'log_empty: it continues no other log, or is not signed yet' })
  continues(@Query() { epoch }: NewestQuery): Promise<string> {
    return orUnavailable(this.logger, 'The log', () => this.logs.continuation(ROOT_LOG, epoch));
  }

  /** Proof that a later checkpoint continues an earlier one: one base64 hash per line (RFC 9162 §2.1.4). */
  @Get('log/consistency')
  @Public()
  @ApiResponseHeaders('Content-Disposition')
  @ApiOperation({ summary: 'Prove consistency between two checkpoints of the public root log' })
  @ApiTextResponse('One base64 hash per line; empty if both sizes are equal')
  @ApiNotFoundResponse({ description: 'log_size_unknown: the log is smaller' })
  async consistency(@Query() sizes: ConsistencyQuery, @Res() response: Response): Promise<void> {
    const hashes = await orUnavailable(this.logger, 'The log', () => this.logs.consistency(ROOT_LOG, sizes));
    response.set(IMMUTABLE).type(TEXT_TYPE).send(hashLines(hashes));
  }

  @Get('log/timestamp')
  @Public()
  @Header('Cache-Control', CHECKPOINT_CACHED)
  @Header('Access-Control-Allow-Origin', '*')
  @ApiResponseHeaders('Content-Disposition')
  @ApiOperation({ summary: 'Read the latest timestamp of the public root log' })
  @ApiOkResponse({ type: NewestTimeStampResponse })
  @ApiNotFoundResponse({ description: 'timestamp_not_found: no timestamp yet' })
  newestTimeStamp(): Promise<NewestTimeStampResponse> {
    return this.timestamps.newest();
  }

  /** The timestamp service's response, for `openssl ts -verify`. */
  @Get('log/timestamp/:size')
  @Public()
  @ApiResponseHeaders('Content-Disposition')
  @ApiOperation({ summary: 'Read the first timestamp (RFC 3161) that covers a number of entries' })
  @ApiParam(SIZE)
  @ApiBytesResponse(
    TIMESTAMP_TYPE,
    'TimeStampResp in DER; its file name contains the size of the stamped checkpoint',
  )
  @ApiNotFoundResponse({ description: 'timestamp_not_found: no timestamp yet' })
  async timeStamp(
    @Param('size') given: string,
    @Query() { epoch }: EpochQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { size, response: bytes } = await this.readTimestamp(() =>
      this.timestamps.findCovering(given, epoch),
    );
    response.attachment(`${size}.tsr`).set(IMMUTABLE).type(TIMESTAMP_TYPE).send(bytes);
  }

  /** The bytes that the timestamp covers. */
  @Get('log/timestamp/:size/checkpoint')
  @Public()
  @ApiResponseHeaders('Content-Disposition')
  @ApiOperation({ summary: 'Read the checkpoint of the first timestamp that covers a number of entries' })
  @ApiParam(SIZE)
  @ApiTextResponse('C2SP signed note')
  @ApiNotFoundResponse({ description: 'timestamp_not_found: no timestamp yet' })
  async stampedCheckpoint(
    @Param('size') size: string,
    @Query() { epoch }: EpochQuery,
    @Res() response: Response,
  ): Promise<void> {
    const note = await this.readTimestamp(() => this.timestamps.findCheckpoint(size, epoch));
    response.set(IMMUTABLE).type(TEXT_TYPE).send(note);
  }

  private readTimestamp<T>(read: () => Promise<T>): Promise<T> {
    return orUnavailable(this.logger, 'The timestamp', read);
  }

  @Get('log/tile/*path')
  @Public()
  @ApiResponseHeaders('Content-Disposition')
  @ApiOperation({ summary: 'Read a tile of the public root log' })
  @ApiParam({ name: 'path', example: '0/000.p/5' })
  @ApiBytesResponse(TILE_TYPE, 'Concatenated hashes or entries')
  @ApiNotFoundResponse({ description: 'tile_not_found' })
  async tile(
    @Param('path') path: string | string[],
    @Query() { epoch }: EpochQuery,
    @Res() response: Response,
  ): Promise<void> {
    const bytes = await orUnavailable(this.logger, 'The log', () =>
      this.logs.tile(ROOT_LOG, [path].flat().join('/'), epoch),
    );
    response.set(IMMUTABLE).type(TILE_TYPE).send(bytes);
  }
}
