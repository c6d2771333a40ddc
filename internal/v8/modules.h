// What modules.cc and commonjs.cc use of each other.
#ifndef RV8_MODULES_H
#define RV8_MODULES_H

#include "state.h"

namespace rv8 {

// modules.cc
int Add(Realm* realm, Local<v8::Module> module);  // its index
ModuleRecord& Record(Realm* realm, int module);
Local<v8::Module> Synthetic(Realm* realm, std::string_view name, const std::vector<std::string>& exports);

// commonjs.cc: of a file's record. What returns false has thrown.
bool RunCommonJS(Realm* realm, int module);
bool BindCommonJS(Realm* realm, int module);  // makes the synthetic module that stands for a file which has run
bool SetCommonJSExports(Realm* realm, Local<v8::Module> module, const ModuleRecord& record);

}  // namespace rv8

#endif
