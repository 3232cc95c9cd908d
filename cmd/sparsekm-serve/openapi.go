package main

import (
	"net/http"
	"reflect"
	"strings"
)

// openAPI describes the routes and the types of their bodies and answers, from these types themselves.
func (s *Server) openAPI(*http.Request) (any, error) {
	schemas, paths := map[string]any{}, map[string]any{}
	for _, r := range s.routes() {
		path := shown(r.path)
		operation := map[string]any{"summary": r.about, "responses": map[string]any{
			"200":     map[string]any{"description": r.about, "content": contents(r.gives, r.other, schemas)},
			"default": map[string]any{"description": "an error", "content": contents(errorAnswer{}, "", schemas)},
		}}
		if r.takes != nil {
			operation["requestBody"] = map[string]any{"required": true, "content": contents(r.takes, r.other, schemas)}
		}
		if r.open {
			operation["security"] = []any{}
		}
		var parameters []any
		for _, part := range strings.Split(path, "/") {
			if i := strings.IndexByte(part, '}'); i > 0 {
				schema := map[string]any{"type": "string"}
				if part[1:i] == "name" {
					schema["enum"] = s.names
				}
				parameters = append(parameters, map[string]any{"name": part[1:i], "in": "path", "required": true, "schema": schema})
			}
		}
		if parameters != nil {
			operation["parameters"] = parameters
		}
		paths[path] = map[string]any{strings.ToLower(r.method): operation}
	}
	document := map[string]any{
		"openapi": "3.0.3", "info": map[string]any{"title": "sparsekm-serve", "version": s.config.Version}, "paths": paths,
	}
	components := map[string]any{"schemas": schemas}
	if s.config.Token != "" {
		components["securitySchemes"] = map[string]any{"token": map[string]any{"type": "http", "scheme": "bearer"}}
		document["security"] = []any{map[string]any{"token": []any{}}}
	}
	document["components"] = components
	return document, nil
}

// contents are the forms of a body: JSON of a type, if there is one, and text or bytes.
func contents(v any, other string, schemas map[string]any) map[string]any {
	forms := map[string]any{}
	if v != nil {
		forms["application/json"] = map[string]any{"schema": schema(reflect.TypeOf(v), schemas)}
	}
	if other != "" {
		text := map[string]any{"type": "string"}
		if strings.HasPrefix(other, "application/") {
			text["format"] = "binary"
		}
		forms[other] = map[string]any{"schema": text}
	}
	return forms
}

// schema describes a type as encoding/json writes it. Those of structs go to schemas, by their names.
func schema(t reflect.Type, schemas map[string]any) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schema(t.Elem(), schemas)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{} // of JSON as it came
		}
		return map[string]any{"type": "array", "items": schema(t.Elem(), schemas)}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Map:
		return map[string]any{"type": "object"}
	case reflect.Struct:
		if schemas[t.Name()] == nil {
			object := map[string]any{"type": "object"}
			schemas[t.Name()] = object
			properties := map[string]any{}
			if required := fields(t, properties, schemas); required != nil {
				object["required"] = required
			}
			object["properties"] = properties
		}
		return map[string]any{"$ref": "#/components/schemas/" + t.Name()}
	}
	return map[string]any{} // anything
}

// fields describes those of a struct, and returns the ones that are always there.
func fields(t reflect.Type, properties, schemas map[string]any) (required []string) {
	for f := range t.Fields() {
		if f.Anonymous {
			required = append(required, fields(f.Type, properties, schemas)...)
			continue
		}
		name, omit, _ := strings.Cut(f.Tag.Get("json"), ",")
		of := schema(f.Type, schemas)
		if about := f.Tag.Get("about"); about != "" {
			of["description"] = about
		}
		properties[name] = of
		if omit == "" {
			required = append(required, name)
		}
	}
	return required
}
