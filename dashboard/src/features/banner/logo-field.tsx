import { Button, FileButton, Group, Input } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../i18n/i18n';
import { logoImage } from './logo-image';

/** The banner's logo: chosen from a file, and made small in the browser. */
export function LogoField(props: {
  value: string | null;
  error: string | undefined;
  onChange: (logo: string | null) => void;
}) {
  const { value, onChange } = props;
  const [isUnfit, setIsUnfit] = useState(false);
  const choose = async (file: File | null) => {
    if (!file) return;
    const logo = await logoImage(file);
    setIsUnfit(logo === null);
    if (logo !== null) onChange(logo);
  };
  return (
    <Input.Wrapper
      label={t('banner.appearance.logo')}
      labelElement="div"
      description={t('banner.logoHint')}
      error={isUnfit ? t('banner.logoUnfit') : props.error}
    >
      <Group gap="xs" mt={4}>
        {value !== null && <img className="logo-preview" src={value} alt={t('banner.appearance.logo')} />}
        <FileButton onChange={(file) => void choose(file)} accept="image/*">
          {(button) => (
            <Button {...button} variant="default">
              {value === null ? t('banner.chooseLogo') : t('banner.replaceLogo')}
            </Button>
          )}
        </FileButton>
        {value !== null && (
          <Button variant="subtle" color="gray" onClick={() => onChange(null)}>
            {t('banner.removeLogo')}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}
