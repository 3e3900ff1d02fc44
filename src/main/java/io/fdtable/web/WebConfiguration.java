package io.fdtable.web;

import java.util.List;

import io.fdtable.web.problem.BodyTypeInterceptor;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.utils.SpringDocUtils;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.type.LogicalType;

import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.format.FormatterRegistry;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Tells Spring MVC and Jackson how this API reads its requests.
 */
@Configuration(proxyBeanMethods = false)
class WebConfiguration implements WebMvcConfigurer {

	static {
		// Springdoc would take it for a query parameter; the headers are described there.
		SpringDocUtils.getConfig().addRequestWrapperToIgnore(CallContext.class);
	}

	@Override
	public void addFormatters(FormatterRegistry registry) {
		registry.addConverter(String.class, FdNumber.class, FdNumber::valueOf);
	}

	/**
	 * The one body format is JSON, even where a library brings another to the class path.
	 */
	@Override
	public void configureMessageConverters(HttpMessageConverters.ServerBuilder builder) {
		builder.configureMessageConvertersList((converters) -> converters
			.removeIf((converter) -> converter.getSupportedMediaTypes().contains(MediaType.APPLICATION_YAML)));
	}

	@Override
	public void addInterceptors(InterceptorRegistry registry) {
		registry.addInterceptor(new BodyTypeInterceptor());
	}

	@Override
	public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
		resolvers.add(new CallContextResolver());
	}

	/**
	 * What is ambiguous is refused, never guessed: a member given twice, text after the
	 * body, or a value of another type than the member's.
	 */
	@Bean
	JsonMapperBuilderCustomizer strictJson() {
		return (builder) -> builder
			.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
			.disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
			.enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
			.disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
			.withCoercionConfigDefaults((any) -> any.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
			.withCoercionConfig(LogicalType.Textual,
					(text) -> text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
						.setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
						.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
			.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION);
	}

	private static final class CallContextResolver implements HandlerMethodArgumentResolver {

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return parameter.getParameterType() == CallContext.class;
		}

		@Override
		public Object resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
				NativeWebRequest request, @Nullable WebDataBinderFactory binders) {
			HttpServletRequest servletRequest = request.getNativeRequest(HttpServletRequest.class);
			HttpServletResponse servletResponse = request.getNativeResponse(HttpServletResponse.class);
			if (servletRequest == null || servletResponse == null) {
				throw new IllegalStateException("not a servlet request");
			}
			return CallContext.of(servletRequest, servletResponse);
		}

	}

}
