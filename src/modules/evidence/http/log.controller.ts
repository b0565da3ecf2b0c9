import { Controller, Get, Header, Logger, Param, Query, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ExportPermits } from '../../../platform/export/export-permits.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { ApiProofPending, PROOF_TYPE, sendPending } from '../../../platform/http/proof-pending.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { type PdfDrawing, PdfRenderer } from '../../../platform/pdf/pdf-renderer.js';
import { orUnavailable } from '../../../platform/storage/object-storage.js';
import { CurrentActor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import { type Actor, nameOf } from '../../access/domain/actor.js';
import type { Project } from '../../projects/domain/project.js';
import { EvidenceState } from '../application/evidence-state.js';
import { LogReader } from '../application/log-reader.js';
import { ProofPages, type ProofPage } from '../application/proof-pages.js';
import { Proofs } from '../application/proofs.js';
import type { Proof } from '../application/signed-view.js';
import {
  ApiBytesResponse,
  ApiTextResponse,
  ConsistencyQuery,
  EpochQuery,
  hashLines,
  LogStateResponse,
  NewestQuery,
  ProofQuery,
  TILE_TYPE,
} from './log.dto.js';

const PROOF_PDF: PdfDrawing<ProofPage> = {
  module: new URL('./proof-pdf.js', import.meta.url).href,
  name: 'drawProof',
};

/** A project's log, for its members: proofs, signed checkpoints, tiles (docs/evidence.md). */
@ApiTags('Evidence')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class LogController {
  private readonly logger = new Logger(LogController.name);

  constructor(
    private readonly proofs: Proofs,
    private readonly logs: LogReader,
    private readonly state: EvidenceState,
    private readonly pages: ProofPages,
    private readonly pdfs: PdfRenderer,
    private readonly permits: ExportPermits,
    private readonly access: AccessService,
  ) {}

  /**
   * A file that `verify/verify.cjs` verifies offline: the record, its salt, and its path to a
   * signed checkpoint. The PDF is for reading only and proves nothing.
   */
  @Get('consents/:consentId/proof')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the proof that a record is unchanged, or was erased' })
  @ApiParam({ name: 'consentId', format: 'uuid' })
  @ApiProduces('text/plain', 'application/pdf', 'application/json')
  @ApiOkResponse({
    description: 'c2sp.org/tlog-proof@v1, or a PDF about it',
    content: {
      'text/plain': { schema: { type: 'string' } },
      'application/pdf': { schema: { type: 'string', format: 'binary' } },
    },
  })
  @ApiProofPending()
  @ApiNotFoundResponse({ description: 'consent_not_found' })
  @ApiConflictResponse({
    description: 'consent_not_sealed: the record will not be added to the log; `detail` says why',
  })
  async proof(
    @CurrentProject() project: Project,
    @Param('consentId') consentId: string,
    @Query() query: ProofQuery,
    @CurrentActor() actor: Actor,
    @Res() response: Response,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<void> {
    const known = isUuid(consentId) ? consentId.toLowerCase() : null;
    if (known === null) throw new DomainError('consent_not_found', 'Consent record not found.');
    const ref = { projectId: project.id, consentId: known };
    const proof = await orUnavailable(this.logger, 'The log', () => this.proofs.proveRecord(ref));
    if (!proof) {
      sendPending(response);
    } else if (query.format === 'pdf') {
      const { language, timeZone } = query;
      const createdBy = nameOf(actor);
      const pdf = await this.drawPdf(project, proof, { language, timeZone, createdBy, gone });
      response.attachment(`consent-${known}.pdf`).type('application/pdf').send(pdf);
    } else {
      response.attachment(`consent-${known}.tlog-proof`).type(PROOF_TYPE).send(proof.text);
    }
  }

  /** Acquires an export permit and renders in a worker thread: a PDF takes 50 ms. */
  private async drawPdf(
    { id: projectId, controllerName: name, controllerContact: contact }: Project,
    proof: Proof,
    { gone, ...options }: Pick<ProofPage, 'language' | 'timeZone' | 'createdBy'> & { gone: AbortSignal },
  ): Promise<Buffer> {
    const accountId = await this.access.accountOf(projectId);
    const release = await this.permits.acquire({ projectId, accountId }, gone);
    try {
      const controller = { name, contact };
      const page = await orUnavailable(this.logger, 'Banner that was shown', () =>
        this.pages.collect(projectId, proof, { ...options, controller, createdAt: new Date() }),
      );
      return await this.pdfs.render(PROOF_PDF, page, gone);
    } finally {
      release();
    }
  }

  @Get('log')
  @ProjectRole('viewer')
  @ApiOperation({ summary: "Read the state of the project's log" })
  @ApiOkResponse({ type: LogStateResponse })
  log(@CurrentProject() project: Project): Promise<LogStateResponse> {
    return this.state.readLog(project.id);
  }

  @Get('log/checkpoint')
  @ProjectRole('viewer')
  @Header('Content-Type', PROOF_TYPE)
  @ApiOperation({ summary: "Read the signed checkpoint of the project's log" })
  @ApiTextResponse('C2SP signed note')
  @ApiNotFoundResponse({ description: 'log_empty: the log has no entries yet' })
  checkpoint(@CurrentProject() project: Project, @Query() { epoch }: NewestQuery): Promise<string> {
    return this.logs.checkpoint(project.id, epoch);
  }

  /** For `verify/verify.cjs continues`. */
  @Get('log/continues')
  @ProjectRole('viewer')
  @Header('Content-Type', PROOF_TYPE)
  @ApiOperation({ summary: 'Read which log the project’s log continues, and why' })
  @ApiTextResponse('c2sp.org/tlog-proof@v1 of the first entry, with the signed statement as its extra data')
  @ApiNotFoundResponse({ description: 'log_empty: it continues no other log, or is not signed yet' })
  continues(@CurrentProject() project: Project, @Query() { epoch }: NewestQuery): Promise<string> {
    return orUnavailable(this.logger, 'The log', () => this.logs.continuation(project.id, epoch));
  }

  /** Proof that a later checkpoint continues an earlier one: one base64 hash per line (RFC 9162 §2.1.4). */
  @Get('log/consistency')
  @ProjectRole('viewer')
  @Header('Content-Type', PROOF_TYPE)
  @ApiOperation({ summary: 'Prove consistency between two checkpoints' })
  @ApiTextResponse('One base64 hash per line; empty if both sizes are equal')
  @ApiNotFoundResponse({ description: 'log_size_unknown: the log is smaller' })
  async consistency(@CurrentProject() project: Project, @Query() sizes: ConsistencyQuery): Promise<string> {
    return hashLines(
      await orUnavailable(this.logger, 'The log', () => this.logs.consistency(project.id, sizes)),
    );
  }

  /** Paths as in C2SP tlog-tiles: `tile/0/x001/067`, `tile/entries/000.p/5`. */
  @Get('log/tile/*path')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read a tile of the project’s log' })
  @ApiParam({ name: 'path', example: '0/000.p/5' })
  @ApiBytesResponse(TILE_TYPE, 'Concatenated hashes or entries')
  @ApiNotFoundResponse({ description: 'tile_not_found' })
  async tile(
    @CurrentProject() project: Project,
    @Param('path') path: string | string[],
    @Query() { epoch }: EpochQuery,
    @Res() response: Response,
  ): Promise<void> {
    const bytes = await orUnavailable(this.logger, 'The log', () =>
      this.logs.tile(project.id, [path].flat().join('/'), epoch),
    );
    response.type(TILE_TYPE).send(bytes);
  }
}
