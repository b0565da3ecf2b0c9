import { Controller, Get, Logger, Param, Res } from '@nestjs/common';
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
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { ApiProofPending, PROOF_TYPE, sendPending } from '../../../platform/http/proof-pending.js';
import type { Project } from '../../projects/domain/project.js';
import { orUnavailable } from '../../../platform/storage/object-storage.js';
import { ScanProofService } from '../application/scan-proof.service.js';

/** Proofs of scans in the project's log (docs/evidence.md). */
@ApiTags('Scans')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/scans/:scanId/proof')
export class ScanProofController {
  private readonly logger = new Logger(ScanProofController.name);

  constructor(private readonly proofs: ScanProofService) {}

  /** A file that `verify/verify.cjs` verifies without the service: pages, states, hashes, and the path to a signed checkpoint. */
  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the proof that a scan is unchanged' })
  @ApiProduces('text/plain', 'application/json')
  @ApiOkResponse({
    description: 'c2sp.org/tlog-proof@v1',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  @ApiProofPending()
  @ApiNotFoundResponse({ description: 'scan_not_found: scan not found.' })
  @ApiConflictResponse({
    description:
      'scan_without_result: the scan runs, failed or was canceled. scan_not_sealed: it will not be added to the log; `detail` says why',
  })
  async read(
    @CurrentProject() project: Project,
    @Param('scanId') scanId: string,
    @Res() response: Response,
  ): Promise<void> {
    const proof = await orUnavailable(this.logger, 'The log', () => this.proofs.prove(project.id, scanId));
    if (proof)
      response.attachment(`scan-${scanId.toLowerCase()}.tlog-proof`).type(PROOF_TYPE).send(proof.text);
    else sendPending(response);
  }
}
