import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { configurationReadOptions } from '../../client/@tanstack/react-query.gen';
import { draftPreview, draftRead } from '../../client/sdk.gen';
import { locale } from '../../i18n/i18n';
import { BannerFrame, bannerStage } from '../banner/banner-frame';
import { initialContent } from '../banner/configuration';

/** The banner as it would be published now. */
export default function BannerSample({ projectId }: { projectId: string }) {
  const path = { projectId };
  const { data, isError } = useQuery({
    queryKey: ['banner-sample', projectId],
    queryFn: async ({ client, signal }) => {
      const [configuration, draft] = await Promise.all([
        // The overview has it.
        client.ensureQueryData(configurationReadOptions({ path })),
        draftRead({ path, signal }),
      ]);
      const body = initialContent(configuration, draft.data);
      return (await draftPreview({ path, body, signal })).data.document;
    },
  });
  // The step beside it says the same in words.
  if (isError) return null;
  if (!data) return <Skeleton h="auto" style={bannerStage('desktop', {}, true)} />;
  return (
    <BannerFrame
      scene={{
        configuration: data,
        region: 'DE',
        language: locale,
        dark: false,
        signal: false,
        isSecondLayer: false,
        choice: null,
      }}
      device="desktop"
      isCropped
    />
  );
}
