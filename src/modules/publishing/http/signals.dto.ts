import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, Matches } from 'class-validator';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { coded } from '../../../platform/errors/field-problem.js';
import { type SignalSettings, SIGNALS_OFF } from '../domain/signals.js';
import { VERSION_NAME } from './configuration-fields.js';

const Signal = (description: string): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional({ default: false, description }), IfGiven(), IsBoolean());

export class SignalSettingsBody implements SignalSettings {
  @Signal('Microsoft Advertising (UET consent mode)') microsoftUet: boolean = SIGNALS_OFF.microsoftUet;
  @Signal('Microsoft Clarity (`consentv2`)') microsoftClarity: boolean = SIGNALS_OFF.microsoftClarity;
  @Signal('Meta pixel (`fbq`)') metaPixel: boolean = SIGNALS_OFF.metaPixel;
  @Signal('TikTok pixel (`ttq`)') tiktokPixel: boolean = SIGNALS_OFF.tiktokPixel;
  @Signal('WP Consent API of WordPress') wpConsentApi: boolean = SIGNALS_OFF.wpConsentApi;
  @Signal('Customer Privacy API of Shopify') shopify: boolean = SIGNALS_OFF.shopify;
  @Signal('Event in the data layer, and our Google Tag Manager template')
  dataLayer: boolean = SIGNALS_OFF.dataLayer;

  @ApiPropertyOptional({ default: SIGNALS_OFF.dataLayerEvent, description: 'Name of the event' })
  @IfGiven()
  @IsString()
  @Matches(VERSION_NAME, {
    message: 'dataLayerEvent must be 1 to 64 letters, digits or any of . _ -',
    context: coded('version_name'),
  })
  dataLayerEvent: string = SIGNALS_OFF.dataLayerEvent;

  @Signal('Google’s `url_passthrough`') googleUrlPassthrough: boolean = SIGNALS_OFF.googleUrlPassthrough;
  @Signal('Google’s `ads_data_redaction`')
  googleAdsDataRedaction: boolean = SIGNALS_OFF.googleAdsDataRedaction;
}
