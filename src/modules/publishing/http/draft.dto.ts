import { ApiProperty } from '@nestjs/swagger';
import type { Draft } from '../domain/saved-configuration.js';
import { ConfigurationContentDto } from './configuration-view.dto.js';
import { ConfigurationChangeDto, SiteDocumentDto } from './publication.dto.js';

export class DraftDto implements Draft {
  @ApiProperty({
    description: 'Number of draft changes, as in the ETag; 0: there was never a draft',
    example: 2,
  })
  version!: number;
  @ApiProperty({ type: ConfigurationContentDto, nullable: true, description: 'null: no draft' })
  configuration!: ConfigurationContentDto | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Version of the configuration that the draft is based on; null: no draft',
  })
  basedOn!: number | null;
  @ApiProperty({ type: Date, nullable: true, example: '2026-12-01T09:30:00.000Z' }) updatedAt!: Date | null;
}

export class PreviewDto extends SiteDocumentDto {
  @ApiProperty({ description: 'Region rules exist, but the tier does not include them', example: false })
  regionRulesLeftOut!: boolean;
  @ApiProperty({ type: [ConfigurationChangeDto], description: 'Differences from the saved configuration' })
  changes!: ConfigurationChangeDto[];
}
