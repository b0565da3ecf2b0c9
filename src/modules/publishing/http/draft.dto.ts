import { ApiProperty } from '@nestjs/swagger';
import type { Draft } from '../domain/saved-configuration.js';
import { ConfigurationContentResponse } from './configuration-view.dto.js';
import { ConfigurationChangeResponse, SiteDocumentResponse } from './publication.dto.js';

export class DraftResponse implements Draft {
  @ApiProperty({
    description: 'Number of draft changes, as in the ETag; 0: there was never a draft',
    example: 2,
  })
  version!: number;
  @ApiProperty({ type: ConfigurationContentResponse, nullable: true, description: 'null: no draft' })
  configuration!: ConfigurationContentResponse | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Version of the configuration that the draft is based on; null: no draft',
  })
  basedOn!: number | null;
  @ApiProperty({ type: Date, nullable: true, example: '2026-12-01T09:30:00.000Z' }) updatedAt!: Date | null;
}

export class PreviewResponse extends SiteDocumentResponse {
  @ApiProperty({ description: 'Region rules exist, but the tier does not include them', example: false })
  regionRulesLeftOut!: boolean;
  @ApiProperty({
    type: [ConfigurationChangeResponse],
    description: 'Differences from the saved configuration',
  })
  changes!: ConfigurationChangeResponse[];
}
