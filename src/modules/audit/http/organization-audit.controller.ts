import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { CurrentOrganization, OrganizationAccess } from '../../access/access.decorators.js';
import type { Organization } from '../../organizations/domain/organization.js';
import { AuditAnswers, AuditFilterQuery, AuditListQuery, AuditPageResponse } from './audit.controller.js';

/** The audit log of an organization, for its admins. */
@ApiTags('Audit')
@ApiParam({ name: 'organizationId', format: 'uuid' })
@OrganizationAccess('admin')
@Controller('v1/organizations/:organizationId/audit')
export class OrganizationAuditController {
  constructor(private readonly answers: AuditAnswers) {}

  /**
   * Members, invitations, and projects that were created, moved or deleted; newest first, kept 24
   * months. Changes inside a project are in the log of the project.
   */
  @Get()
  @ApiOperation({ summary: 'List changes of an organization' })
  @ApiOkResponse({ type: AuditPageResponse })
  list(
    @CurrentOrganization() { id }: Organization,
    @Query() query: AuditListQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<AuditPageResponse> {
    return this.answers.page(id, query, gone);
  }

  /** The same as a file with all pages; a failure after the first byte closes the connection. */
  @Get('export')
  @ApiOperation({ summary: 'Export changes of an organization as CSV' })
  @ApiOkResponse({ description: 'The file', content: { 'text/csv': { schema: { type: 'string' } } } })
  async export(
    @CurrentOrganization() { id }: Organization,
    @Query() query: AuditFilterQuery,
    @Res() response: Response,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<void> {
    await this.answers.file({ subjectId: id, accountId: id }, query, response, gone);
  }
}
