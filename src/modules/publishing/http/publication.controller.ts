import { Controller, Get, Logger, Param, Query } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import type { Project } from '../../projects/domain/project.js';
import { PageQuery } from '../../../platform/http/page-query.js';
import { PublicationLog } from '../application/publication-log.js';
import { orUnavailable } from '../../../platform/storage/object-storage.js';
import {
  authorsOf,
  ChangesQuery,
  ConfigurationChangesResponse,
  InForceQuery,
  PublicationResponse,
  PublicationPageResponse,
  SiteDocumentResponse,
} from './publication.dto.js';

/** A project's publications: who changed what, and what visitors were shown when. */
@ApiTags('Publishing')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class PublicationController {
  private readonly logger = new Logger(PublicationController.name);

  constructor(
    private readonly publications: PublicationLog,
    private readonly access: AccessService,
  ) {}

  /** The last 500. */
  @Get('publications')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List publications, newest first' })
  @ApiOkResponse({ type: PublicationPageResponse })
  async list(
    @CurrentProject() project: Project,
    @Query() query: PageQuery,
  ): Promise<PublicationPageResponse> {
    const { items, nextCursor } = await this.publications.list(project.id, query);
    const names = await this.access.namesOf(authorsOf(items));
    return { items: items.map((item) => PublicationResponse.of(item, names)), nextCursor };
  }

  /** Caches of browsers and CDNs may have shown the one before for some minutes more. */
  @Get('publications/in-force')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Find the publication that was live at a given time' })
  @ApiOkResponse({ type: PublicationResponse })
  @ApiNotFoundResponse({ description: 'publication_not_found: no publication on record for that time.' })
  async inForce(
    @CurrentProject() project: Project,
    @Query() { at }: InForceQuery,
  ): Promise<PublicationResponse> {
    const found = await this.publications.inForceAt(project.id, at);
    return PublicationResponse.of(found, await this.access.namesOf(authorsOf([found])));
  }

  /** By the `configHash` of a record. Kept as long as the project, also where the history is shorter. */
  @Get('configuration/published/:configHash')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read a published document by its hash' })
  @ApiOkResponse({ type: SiteDocumentResponse })
  @ApiNotFoundResponse({ description: 'publication_not_found: the project has not published this document.' })
  async document(
    @CurrentProject() project: Project,
    @Param('configHash') configHash: string,
  ): Promise<SiteDocumentResponse> {
    return {
      document: await orUnavailable(this.logger, 'The configuration', () =>
        this.publications.document(project.id, configHash),
      ),
    };
  }

  /** Field by field. The first publication is held against the default. */
  @Get('publications/:version/changes')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List the changes of a publication' })
  @ApiOkResponse({ type: ConfigurationChangesResponse })
  @ApiNotFoundResponse({ description: 'publication_not_found: publication not found.' })
  async changes(
    @CurrentProject() project: Project,
    @Param('version') version: string,
    @Query() { since }: ChangesQuery,
  ): Promise<ConfigurationChangesResponse> {
    return { items: await this.publications.changes(project.id, version, since ?? null) };
  }
}
