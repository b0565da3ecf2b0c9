import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Author } from '../../audit/domain/author.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Project } from '../../projects/domain/project.js';
import { SimulateTier } from '../application/simulate-tier.js';
import { presentTier, SimulateTierBody, TierResponse } from './tier.dto.js';

/** Only outside production (ApiModule). */
@ApiTags('Licensing')
@Controller('v1/projects/:projectId/tier')
export class SimulateTierController {
  constructor(private readonly simulateTier: SimulateTier) {}

  /**
   * Upserts the project's one synthetic subscription (spec §4.5) and responds like `GET …/tier`.
   * The resulting tier may differ from the requested one: other subscriptions count too, and the
   * status decides.
   */
  @Post('simulate')
  @HttpCode(HttpStatus.OK)
  @ProjectRole('editor')
  @ApiBodyExample({ tier: 'pro' })
  @ApiOperation({ summary: 'Simulate a subscription; not in production' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiOkResponse({ type: TierResponse })
  async simulate(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() body: SimulateTierBody,
  ): Promise<TierResponse> {
    return presentTier(
      await this.simulateTier.simulate({ project, author, requested: body, now: new Date() }),
    );
  }
}
