import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CopyableCode } from '../../shared/copyable-code';
import { t } from '../../i18n/i18n';

/** Placeholder in docs/banners/*.html for the address of the project's own loader. */
const ADDRESS = 'https://cdn.example.com/<projectId>/loader.js';

/** The pages of docs/banners, which the service's tests open, loaded when they are opened. */
async function loadPages(): Promise<{ title: string; page: string }[]> {
  const [klaro, cookieconsent, tarteaucitron] = await Promise.all([
    import('../../../../docs/banners/klaro.html?raw'),
    import('../../../../docs/banners/cookieconsent.html?raw'),
    import('../../../../docs/banners/tarteaucitron.html?raw'),
  ]);
  return [
    { title: 'klaro', page: klaro.default },
    { title: 'Osano cookieconsent', page: cookieconsent.default },
    { title: 'tarteaucitron', page: tarteaucitron.default },
  ];
}

/** Whole pages with banners that many sites have, each with the project's own line in it. */
export function OtherBanners({ script }: { script: string }) {
  const { data } = useQuery({ queryKey: ['other-banners'], queryFn: loadPages, staleTime: Infinity });
  if (!data) return null;
  return (
    <Tabs defaultValue={data[0]?.title ?? null} keepMounted={false}>
      <Tabs.List aria-label={t('install.otherBanners')}>
        {data.map(({ title }) => (
          <Tabs.Tab key={title} value={title}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {data.map(({ title, page }) => (
        <Tabs.Panel key={title} value={title} pt="sm" className="sample">
          <CopyableCode text={page.replace(ADDRESS, script)} label={title} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
