import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tierReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectResponse, ScanResponse } from '../../client/types.gen';
import { Section } from '../../shared/section';
import { locale, t } from '../../i18n/i18n';

const FORMATS = ['pdf', 'csv', 'json', 'inspection', 'edpb'] as const;
const OF_PLAN = ['pdf', 'csv'];

/** Files of a scan. PDF and CSV are features of the plan. */
export function ScanExports({ project, scan }: { project: ProjectResponse; scan: ScanResponse }) {
  const { data: tier } = useQuery(tierReadOptions({ path: { projectId: project.id } }));
  if (scan.status !== 'completed' && scan.status !== 'partial') return null;
  const formats = FORMATS.filter((format) => !OF_PLAN.includes(format) || tier?.features.export === true);
  return (
    <Section title={t('scans.exports.title')}>
      <Group gap="sm">
        {formats.map((format) => (
          <Button
            key={format}
            size="compact-sm"
            variant="default"
            component="a"
            href={`/v1/projects/${project.id}/scans/${scan.id}/report?format=${format}&language=${locale}`}
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
