import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Project } from '../../projects/domain/project.js';
import { LicensingService } from '../licensing.service.js';
import { presentTier, TierResponse, TierQuery } from './tier.dto.js';

@ApiTags('Licensing')
@Controller('v1/projects/:projectId/tier')
export class TierController {
  constructor(private readonly licensing: LicensingService) {}

  /** The effective tier (spec §3.2), read from the subscriptions: `{ tier, reason, graceEndsAt, limits, features }`. */
  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the effective tier of the project, or of one of its hostnames' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiOkResponse({ type: TierResponse })
  async read(@CurrentProject() project: Project, @Query() query: TierQuery): Promise<TierResponse> {
    return presentTier(await this.licensing.fromSubscriptions(project, query.hostname, new Date()));
  }
}
