import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tierReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectDto, ScanDto } from '../../client/types.gen';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';

const FORMATS = ['csv', 'json', 'inspection', 'edpb'] as const;

/** Files of a scan. CSV is a feature of the plan. */
export function ScanExports({ project, scan }: { project: ProjectDto; scan: ScanDto }) {
  const { data: tier } = useQuery(tierReadOptions({ path: { projectId: project.id } }));
  if (scan.status !== 'completed' && scan.status !== 'partial') return null;
  const formats = FORMATS.filter((format) => format !== 'csv' || tier?.features.export === true);
  return (
    <Section title={t('scans.exports.title')}>
      <Group gap="sm">
        {formats.map((format) => (
          <Button
            key={format}
            size="compact-sm"
            variant="default"
            component="a"
            href={`/v1/projects/${project.id}/scans/${scan.id}/report?format=${format}`}
            download
          >
            {t(`scans.exports.${format}`)}
          </Button>
        ))}
      </Group>
      <Text c="dimmed" size="sm">
        {t(tier?.features.export === false ? 'scans.exports.csvTier' : 'scans.exports.text')}
      </Text>
    </Section>
  );
}
