import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { CopyableCode } from '../../shared/copyable-code';
import { t } from '../../i18n/i18n';

const TITLES = ['Node', 'Python', 'PHP'];

async function loadSamples(): Promise<{ title: string; code: string }[]> {
  const files = await Promise.all([
    import('../../../../docs/samples/receiver.mjs?raw'),
    import('../../../../docs/samples/receiver.py?raw'),
    import('../../../../docs/samples/receiver.php?raw'),
  ]);
  return files.map((file, at) => ({ title: TITLES[at] ?? '', code: file.default }));
}

/** The receivers of docs/samples, which the service's tests run, loaded when they are opened. */
export function SampleReceivers() {
  const { data } = useQuery({ queryKey: ['sample-receivers'], queryFn: loadSamples, staleTime: Infinity });
  if (!data) return <SkeletonRows rows={4} />;
  return (
    <Tabs defaultValue={data[0]?.title ?? null} keepMounted={false}>
      <Tabs.List aria-label={t('forwarding.samples')}>
        {data.map(({ title }) => (
          <Tabs.Tab key={title} value={title}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {data.map(({ title, code }) => (
        <Tabs.Panel key={title} value={title} pt="sm" className="sample">
          <CopyableCode text={code} label={title} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
